"""Which rights each role has in the database of the keys."""

KEY_GROUPS = {"user": ("fleetlog_keys_user",), "eraser": ("fleetlog_keys_eraser",)}
"""Suffix of each login role, and the group whose rights it has: services use keys, and erase none."""
