"""What people set up for themselves: no commands, for nothing of it is in the log."""
