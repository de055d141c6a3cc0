"""What the access log recorded."""

from typing import Any

import psycopg

from ops.testing.postgres import Database

_MEMBERS = ("moment", "id", "request_id", "filter", "count", "search")


def recorded_views(owner: psycopg.Connection) -> list[dict[str, Any]]:
    """Return the recorded views, each with the members that its batch states once."""
    rows = owner.execute("SELECT details FROM audit.accesses WHERE action = 'views' ORDER BY number")
    return [
        {"actor": batch["who"][who], **batch["what"][what], **dict(zip(_MEMBERS, rest, strict=False))}
        for (batch,) in rows
        for who, what, *rest in batch["views"]
    ]


def viewed(database: Database) -> int:
    """Return the number of recorded views."""
    with psycopg.connect(database.owner) as owner:
        return len(recorded_views(owner))
