"""Who looked behind the masks."""

import json
import uuid
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.actor_names import ActorNames, load_actor_names
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.searches import SEARCH_PARAMETER, SearchEncryption, decrypt_search, load_search_keys
from ops.base.sign_in import Actor
from query_api.history.wire import actor_json, moment_text, withheld_name
from query_api.http.parameters import PartParameters
from query_api.reading.source import Source, fetch

AUDIT_PATH: Final = "/api/v1/audit"
REVEALED_EXPORT: Final = "audit-export-revealed"
SEARCH: Final = "search"
"""The member that holds what is kept of what was searched for."""

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
        self._searches = SearchEncryption()

    async def record(self, actor: Actor, request_id: str, action: str, details: dict[str, Any]) -> None:
        """Record an access; it must not be granted before this has returned.

        Raises:
            KeysUnavailable: what was searched for cannot be sealed now.
            psycopg.OperationalError: it could not be recorded.
            psycopg_pool.PoolTimeout: as above.
        """
        filters = dict(details["filter"])
        if (text := filters.pop(SEARCH_PARAMETER, None)) is not None:
            sealed = await self._searches.encrypt({request_id: text})
            details = {**details, "filter": filters, SEARCH: sealed[request_id]}
        await ACTORS.try_record(actor.sub, actor.name)
        row = (uuid.uuid4(), actor.sub, "", request_id, action, json.dumps(details))
        await fetch(self._source, _RECORD, row)

    async def part(
        self, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return a part of what was recorded, and the cursor of the next part.

        Args:
            part: which part.
            restricted: whether names of people are told that are restricted.

        Raises:
            KeysUnavailable: what was searched for cannot be opened now.
            DecryptionError: it was changed.
        """
        beyond, order = ("<", "DESC") if part.descending else (">", "ASC")
        statement = _PART.format(beyond=sql.SQL(beyond), order=sql.SQL(order))
        rows = await fetch(self._source, statement, {"cursor": part.cursor, "limit": part.limit})
        await load_search_keys(row[-1][SEARCH] for row in rows if SEARCH in row[-1])
        names = await load_actor_names(((sub, moment) for _, moment, sub, *_ in rows), restricted=restricted)
        shown = [_told(names, row) for row in rows[: part.limit]]
        return shown, shown[-1]["number"] if len(rows) > part.limit else None


def _told(names: ActorNames, row: tuple[Any, ...]) -> dict[str, Any]:
    number, moment, sub, own, request_id, action, details = row
    called = names.of(sub, moment, own)
    return {
        "number": number,
        "moment": moment_text(moment),
        "actor": actor_json(sub, called.name),
        "request_id": request_id,
        "action": action,
        "details": _opened(details, request_id),
        **withheld_name(called.masked_as),
    }


def _opened(details: dict[str, Any], request_id: str) -> dict[str, Any]:
    if SEARCH not in details:
        return details
    told = {name: value for name, value in details.items() if name != SEARCH}
    return {
        **told,
        "filter": {**told["filter"], SEARCH_PARAMETER: decrypt_search(details[SEARCH], request_id)},
    }
