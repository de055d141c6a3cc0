"""The commands of `./fleetlog` for development."""
