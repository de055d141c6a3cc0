"""What analysts get to see: the log's events without personal data, each in a CloudEvents envelope.

It stands on `ops.base` only: relay and feed say the same, and the read side need not know the write side.
"""
