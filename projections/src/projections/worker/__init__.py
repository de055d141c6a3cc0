"""The worker process, and what it keeps up."""
