"""What `python -m projections` can do besides running: each command returns its exit code."""
