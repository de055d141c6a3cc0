"""Test support: real services for integration tests. Imported by tests only."""
