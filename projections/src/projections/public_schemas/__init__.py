"""The JSON Schemas of public events: derived from the domain, and held against what has been released."""
