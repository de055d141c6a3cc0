"""Declarations of the entities, and what every service does with their values."""
