"""The part of the access log about unmasked exports and started operations."""

import json
import uuid
from collections.abc import Mapping
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.actors import ACTORS, ActorNames, load_actor_names
from ops.base.encryption.searches import SEARCH_PARAMETER, SearchEncryption, decrypt_search, load_search_keys
from ops.base.sign_in import Actor
from query_api.database.source import Source, fetch
from query_api.history.wire import actor_json, moment_text, name_redaction
from query_api.http.parameters import PageParameters

AUDIT_PATH: Final = "/api/v1/audit"
REVEALED_EXPORT: Final = "audit-export-revealed"
SEARCH: Final = "search"
"""The member with the encrypted search text."""

# Each entry has an id of its own, so that a retry records nothing twice.
_RECORD: Final = "SELECT audit.record_access(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::json)"
_PAGE: Final = sql.SQL(
    """
    SELECT number, moment, actor_sub, actor_name, request_id, action, details
    FROM audit.accesses
    WHERE action <> 'views' AND (%(cursor)s::bigint IS NULL OR number {beyond} %(cursor)s)
    ORDER BY number {order}
    LIMIT %(limit)s::bigint + 1
    """
)


class RevealLog:
    """Records and lists unmasked exports."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._encryption = SearchEncryption()

    async def record(self, actor: Actor, request_id: str, action: str, details: dict[str, Any]) -> None:
        """Record an access, which must not be granted before this returns.

        Raises:
            psycopg.OperationalError: the access could not be recorded.
            psycopg_pool.PoolTimeout: as above.
        """
        filters = dict(details["filter"])
        if (text := filters.pop(SEARCH_PARAMETER, None)) is not None:
            encrypted = await self._encryption.encrypt({request_id: text})
            details = {**details, "filter": filters, SEARCH: encrypted[request_id]}
        if actor.is_program:
            details = {**details, "is_program": True}
        await ACTORS.try_record(actor.sub, actor.name)
        row = (uuid.uuid4(), actor.sub, "", request_id, action, json.dumps(details))
        await fetch(self._source, _RECORD, row)

    async def record_export(
        self, actor: Actor, request_id: str, media: str, filters: Mapping[str, str]
    ) -> None:
        """Record an unmasked export; see `record`."""
        await self.record(actor, request_id, REVEALED_EXPORT, {"format": media, "filter": {**filters}})

    async def page(
        self, page: PageParameters, *, restricted: bool = False
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return a page of entries, and the cursor of the next page."""
        beyond, order = ("<", "DESC") if page.descending else (">", "ASC")
        statement = _PAGE.format(beyond=sql.SQL(beyond), order=sql.SQL(order))
        rows = await fetch(self._source, statement, {"cursor": page.cursor, "limit": page.limit})
        await load_search_keys(row[-1][SEARCH] for row in rows if SEARCH in row[-1])
        names = await load_actor_names(((sub, moment) for _, moment, sub, *_ in rows), restricted=restricted)
        entries = [_entry(names, row) for row in rows[: page.limit]]
        return entries, entries[-1]["number"] if len(rows) > page.limit else None


def _entry(names: ActorNames, row: tuple[Any, ...]) -> dict[str, Any]:
    number, moment, sub, recorded_name, request_id, action, details = row
    name = names.of(sub, moment, recorded_name)
    if SEARCH in details:
        text = decrypt_search(details.pop(SEARCH), request_id)
        details = {**details, "filter": {**details["filter"], SEARCH_PARAMETER: text}}
    return {
        "number": number,
        "moment": moment_text(moment),
        "actor": actor_json(sub, name.name, is_program=details.pop("is_program", False)),
        "request_id": request_id,
        "action": action,
        "details": details,
        **name_redaction(name.masked_as),
    }
