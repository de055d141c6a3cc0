"""What makes it evident when somebody has changed the log: a hash tree over it, and signed checkpoints."""
