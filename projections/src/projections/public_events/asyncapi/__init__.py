"""The AsyncAPI document of the event stream, from the released schemas and the envelope's attributes."""
