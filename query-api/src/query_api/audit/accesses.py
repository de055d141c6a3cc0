"""Who looked behind the masks."""

import json
import uuid
from typing import Any, Final

from psycopg import sql

from ops.base.sign_in import Actor
from query_api.history.wire import actor_json, moment_text
from query_api.parts import PartParameters
from query_api.reading import Source, fetch

AUDIT_PATH: Final = "/api/v1/audit"
REVEALED_EXPORT: Final = "audit-export-revealed"

# With an id of its own, so that trying again after a lost answer records nothing twice.
_RECORD: Final = "SELECT audit.record_access(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::json)"
_PART: Final = sql.SQL(
    """
    SELECT number, moment, actor_sub, actor_name, request_id, action, details
    FROM audit.accesses
    WHERE action <> 'views' AND (%(cursor)s::bigint IS NULL OR number {beyond} %(cursor)s)
    ORDER BY number {order}
    LIMIT %(limit)s::bigint + 1
    """
)


class AccessLog:
    """Remembers what was asked for that is otherwise masked."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def record(self, actor: Actor, request_id: str, action: str, details: dict[str, Any]) -> None:
        """Record an access; it must not be granted before this has returned.

        Raises:
            psycopg.OperationalError: it could not be recorded.
            psycopg_pool.PoolTimeout: as above.
        """
        row = (uuid.uuid4(), actor.sub, actor.name, request_id, action, json.dumps(details))
        await fetch(self._source, _RECORD, row)

    async def part(self, part: PartParameters) -> tuple[list[dict[str, Any]], int | None]:
        """Return a part of what was recorded, and the cursor of the next part."""
        beyond, order = ("<", "DESC") if part.descending else (">", "ASC")
        statement = _PART.format(beyond=sql.SQL(beyond), order=sql.SQL(order))
        rows = await fetch(self._source, statement, {"cursor": part.cursor, "limit": part.limit})
        shown = [
            {
                "number": number,
                "moment": moment_text(moment),
                "actor": actor_json(sub, name),
                "request_id": request_id,
                "action": action,
                "details": details,
            }
            for number, moment, sub, name, request_id, action, details in rows[: part.limit]
        ]
        return shown, shown[-1]["number"] if len(rows) > part.limit else None
