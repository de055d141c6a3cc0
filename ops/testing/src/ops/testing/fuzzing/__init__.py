"""Fuzzing with schemathesis: its configuration, and what it must know that no schema can say."""
