"""Freshness: waiting for clients' own writes, and notifications of the projections' commits."""
