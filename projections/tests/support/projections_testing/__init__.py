"""What the tests of the projections and of the query API share."""
