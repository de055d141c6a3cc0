"""Public events: the log's events without personal data, each in a CloudEvents envelope.

This package imports only `ops.base`: relay and feed share it, and the read side does not depend on the write
side.
"""
