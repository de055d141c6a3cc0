"""Intervals of assignments: who had what, at the time of the intervals and as recorded at a moment."""
