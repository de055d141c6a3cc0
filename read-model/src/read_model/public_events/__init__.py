"""Public events: the log's events without personal data, each in a CloudEvents envelope."""
