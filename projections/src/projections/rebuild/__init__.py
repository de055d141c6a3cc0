"""Rebuild of a read table while the product runs: fill a new table, catch up, compare, swap."""
