"""Tamper evidence: a hash tree over the log, signed checkpoints, proofs and receipts."""
