"""The commands of `./fleetlog` that are there only where Fleetlog is developed."""
