"""Encryption of personal data under a key per record: destroying the key erases the data.

`keys` encrypts and decrypts, `key_encryption_keys` wraps keys, `stores` keeps them (in `sqlite` or
`postgresql`), and `key_cache` is the cache of a process.
"""
