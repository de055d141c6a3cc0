"""Sealing the log: checkpoints that are signed, and kept outside the database."""
