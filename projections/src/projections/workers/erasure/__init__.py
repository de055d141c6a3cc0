"""Erasure of a person: destroys keys, removes unencrypted traces, and issues a receipt."""
