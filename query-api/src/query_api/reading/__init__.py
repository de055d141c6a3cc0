"""Reading lists and records from the read tables."""
