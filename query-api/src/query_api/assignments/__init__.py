"""Intervals of assignments: who had what, by the time for which they hold and by what was known then."""
