"""Sealing the log: signed checkpoints, stored outside the database."""
