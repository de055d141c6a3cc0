"""What is about a person is sealed under that person's key: who destroys the key has erased all of it.

`keys` seals and opens, `wrapping` keeps keys under a key-encryption key, `stores` is where they are kept
(`local` or `central`), and `ring` is what a process holds of them, for a minute at most.
"""
