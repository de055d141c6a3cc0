"""PostgreSQL as a child of the launcher: its binaries, its cluster, its roles."""
