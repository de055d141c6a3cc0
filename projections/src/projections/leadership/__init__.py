"""Leader election by PostgreSQL advisory locks: one process works, the others are standbys."""
