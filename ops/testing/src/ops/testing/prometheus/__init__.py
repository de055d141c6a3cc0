"""A real Prometheus server for tests of metrics and alert rules."""
