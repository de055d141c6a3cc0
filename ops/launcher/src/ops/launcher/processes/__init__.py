"""Child processes: start, supervision and termination."""
