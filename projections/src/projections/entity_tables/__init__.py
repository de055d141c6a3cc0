"""The current state of every entity: one table per entity type, one implementation for all types."""
