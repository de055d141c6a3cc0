"""Masked answers, without personal data."""
