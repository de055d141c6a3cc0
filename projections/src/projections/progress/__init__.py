"""Progress of the projections: positions, lag, status and the completeness of search terms."""
