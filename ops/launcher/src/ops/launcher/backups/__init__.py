"""Backups of an instance with a server of its own: taken while it runs, restored beside it, then accepted."""
