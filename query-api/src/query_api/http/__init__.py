"""HTTP: parameters, routes, and responses of queries."""
