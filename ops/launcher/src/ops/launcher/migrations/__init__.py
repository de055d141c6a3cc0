"""The database schema's history: numbered SQL scripts in `versions/`, run forward only."""
