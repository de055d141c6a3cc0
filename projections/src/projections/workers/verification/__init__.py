"""Holding what people look at against what the log adds up to."""
