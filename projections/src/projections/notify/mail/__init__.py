"""Notifications by e-mail: digests of expiring documents, and mails about public events.

Mails name nobody: they contain record ids, documents, days and links. Their content is computed when they are
sent.
"""
