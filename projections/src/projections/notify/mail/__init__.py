"""Notifications by e-mail: digests of expiring documents, and mails about public events.

Mails contain no names: only record ids, documents, days and links. Their content is computed when they are
sent.
"""
