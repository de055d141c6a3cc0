"""Fuzzing with schemathesis: its configuration, and hooks for rules that no schema expresses."""
