"""Restricted and erased records and users: their status, receipts, and reports of the data held."""
