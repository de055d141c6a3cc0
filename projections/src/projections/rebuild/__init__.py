"""Rebuilding a read table beside the running product: filled, caught up, compared, and swapped in."""
