"""Progress of the projections: positions, lag and the completeness of search terms."""
