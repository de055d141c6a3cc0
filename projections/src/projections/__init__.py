"""The workers: events become read tables."""
