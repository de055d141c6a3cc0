"""Tamper evidence: a hash tree over the log, signed checkpoints, bundles and receipts."""
