"""Tools to try the whole product from outside. They know its contract and nothing of its code."""
