"""Test support of the projections and of the query API."""
