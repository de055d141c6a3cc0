"""The append-only log in PostgreSQL: dense positions in commit order, shared commits."""
