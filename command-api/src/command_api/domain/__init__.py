"""The domain: entity types, decisions and events; pure, without I/O."""
