"""What the fleet is made of and how it may change: pure, no I/O."""
