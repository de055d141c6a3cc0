"""Notifications by e-mail: digests of expiring documents, and mails about public events.

Mails contain record ids, documents, days and links; to confirmed addresses also drivers' names. Their content
is computed when they are sent.
"""
