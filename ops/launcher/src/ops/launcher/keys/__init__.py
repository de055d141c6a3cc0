"""The database of the keys, where services run on several machines."""
