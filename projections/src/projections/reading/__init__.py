"""Reading the event log, in order and without gaps."""
