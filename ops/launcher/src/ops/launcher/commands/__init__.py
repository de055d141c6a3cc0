"""The commands of the command line, each with `configure(parser)` and `run(arguments)`."""
