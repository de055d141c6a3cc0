"""Commands of `python -m projections`; each returns its exit code."""
