"""Child processes: starting them, keeping them alive, ending them."""
