"""Command-line client of the event feed."""
