"""The command line that sets Fleetlog up and runs it on one machine."""
