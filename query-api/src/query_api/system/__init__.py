"""Status of the system, for operators."""
