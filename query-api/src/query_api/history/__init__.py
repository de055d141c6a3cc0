"""What was: each entity's changes, its state at any of them, and what differs between two."""
