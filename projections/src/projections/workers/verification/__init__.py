"""Verification of the log, the access log and the read tables."""
