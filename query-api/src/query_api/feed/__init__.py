"""The public events over HTTP: as a stream of server-sent events, as lines of JSON, or batch by batch."""
