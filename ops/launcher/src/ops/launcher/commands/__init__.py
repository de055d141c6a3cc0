"""Commands of `./fleetlog`, each a module with `configure(parser)` and `run(arguments)`."""
