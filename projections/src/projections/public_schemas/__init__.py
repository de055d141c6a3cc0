"""The JSON Schemas of public events: derived from the domain, and compared with the released ones."""
