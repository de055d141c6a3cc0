"""Answers kept ready to be sent, as JSON and compressed, for as long as nothing else has been notified.

An answer from memory is as current as what has been notified. Where a notification is lost it is as old as
the lease at most (`notified`), and it is never older than what its client has written. Where nobody knows
what has been notified the database is asked; of a list, only for its ETag, if that is still the same.
"""
