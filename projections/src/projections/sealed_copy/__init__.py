"""Copies a log that was written in the clear into one that is sealed."""
