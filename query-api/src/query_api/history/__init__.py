"""The past of records: changes, states at a version or instant, and differences between versions."""
