"""Backups of an instance and of a log on a server of its own: creation, restoration and acceptance."""
