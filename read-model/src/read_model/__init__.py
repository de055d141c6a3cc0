"""The read model as the projections write it and the query API reads it; imports only `ops.base`."""
