"""The audit trail: all changes of all records, searched, counted by day, and exported."""
