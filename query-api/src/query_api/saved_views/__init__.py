"""Saved views of lists; users see only their own."""
