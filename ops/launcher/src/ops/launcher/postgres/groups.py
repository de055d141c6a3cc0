"""Login roles by suffix, and the group roles whose rights they have."""

SERVICE_GROUPS = {
    "command": ("fleetlog_writer",),
    "projections": ("fleetlog_projector",),
    "query": ("fleetlog_reader",),
    "notify": ("fleetlog_notifier",),
    "relay": ("fleetlog_relay",),
    "sealer": ("fleetlog_projector", "fleetlog_sealer"),
}
"""In the log's database, where migrations create the groups.

A projection worker that seals the log signs in as `sealer`, any other as `projections`.
"""

KEY_GROUPS = {"user": ("fleetlog_keys_user",), "eraser": ("fleetlog_keys_eraser",)}
"""In the database of keys: only workers sign in as `eraser`."""
