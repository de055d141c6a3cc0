"""The entity types, a module each: details, rules, decisions and definition."""
