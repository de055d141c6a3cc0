"""The entity types, a module each: what is known of one, by which rules, and what may be decided."""
