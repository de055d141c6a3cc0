"""Query parameters, routes and responses."""
