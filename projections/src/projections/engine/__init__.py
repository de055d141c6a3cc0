"""The projection engine: applies events to read tables exactly once, and quarantines faulty streams."""
