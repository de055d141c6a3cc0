"""How far the projections are."""
