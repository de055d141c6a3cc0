"""Connections to the read tables, and the statements that read lists and records."""
