"""Records that may be of the same person or vehicle: pairs of existing ones, and suggestions for new ones."""
