"""Reading one's own writes: positions of projections, and notifications of them."""
