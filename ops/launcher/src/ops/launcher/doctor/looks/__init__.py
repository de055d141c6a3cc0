"""The looks, a module for each kind."""
