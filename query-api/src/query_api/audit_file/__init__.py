"""The audit file: a ZIP with changes and the proof that they are those of the sealed log."""
