"""Rendering `ops/kubernetes` and validating it against schemas."""
