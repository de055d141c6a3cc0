"""Cached answers, as JSON and compressed, valid until a change is notified.

If a notification is lost, an answer is at most as old as the lease (`freshness.notifications`), and never
older than its client's last write. While notifications may be missing, each request asks the database; for a
list, first for its entity tag.
"""
