"""`./fleetlog events`: the feed on the command line, over HTTP."""
