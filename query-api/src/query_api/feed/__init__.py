"""The public events over HTTP: server-sent events, lines of JSON, or batches."""
