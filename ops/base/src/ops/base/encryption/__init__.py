"""Encryption of personal data under a key per record: destroying the key erases the data.

`keys` encrypts and decrypts, `wrapping` wraps keys with a key-encryption key, `stores` stores them (in
`sqlite` or `postgresql`), and `ring` is the key cache of a process.
"""
