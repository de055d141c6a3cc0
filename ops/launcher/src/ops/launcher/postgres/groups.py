"""Which rights each service has in the database."""

SERVICE_GROUPS = {
    "command": ("fleetlog_writer",),
    "projections": ("fleetlog_projector",),
    "query": ("fleetlog_reader",),
    "relay": ("fleetlog_relay",),
    "sealer": ("fleetlog_projector", "fleetlog_sealer"),
}
"""Suffix of each login role, and the group roles (made by the migrations) whose rights it has.

A projection worker that also seals the log signs in as `sealer`; one that does not, as `projections`.
"""
