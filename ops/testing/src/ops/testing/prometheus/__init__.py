"""A real Prometheus, for the tests of metrics and alert rules."""
