"""PostgreSQL: pools, prepared statements, and checks of the schema and the log."""
