"""Answers without personal data."""
