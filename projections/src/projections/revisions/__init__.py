"""Every change there ever was: one row for every position of the log."""
