"""The database of keys, for services on several machines, and backups of key stores."""
