"""Who leads, where several could: locks, sessions, and shares of the work."""
