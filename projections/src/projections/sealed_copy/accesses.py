"""The access log: nobody is named in it, and each search is sealed under the key of its minute."""

import json
from datetime import datetime
from typing import Any, Final, TypeGuard

from psycopg import AsyncConnection

from ops.base.json_values import to_json
from ops.base.sealing.searches import MEMBER, Searches
from ops.tamper_evidence.accesses import AccessRow
from projections.sealed_copy.names import Names
from projections.sealing.remembering import all_accesses

_COPY: Final = "COPY audit.accesses FROM STDIN (FORMAT BINARY)"
# Of `json`, too, the text is sent: as it is, for the chain covers its letters.
_TYPES: Final = ("int8", "uuid", "timestamptz", "text", "text", "text", "text", "text", "bytea")
_VIEWS: Final = "views"
_SEARCH: Final = "search"
_REQUEST_OF_VIEW: Final = 4


async def copy_accesses(source: AsyncConnection, target: AsyncConnection) -> None:
    """Copy an access log into an empty one; it is another chain where something was sealed in it.

    Args:
        source: where it is.
        target: where no access is yet.

    Raises:
        KeysUnavailable: nothing can be sealed now.
    """
    sealing, noted, hash_ = _OfMinutes(), Names(), b""
    async with source.transaction(), target.cursor() as cursor, cursor.copy(_COPY) as copy:
        copy.set_types(_TYPES)
        async for rows in all_accesses(source):
            for row in rows:
                await noted.note(row.actor_sub, row.actor_name, row.moment)
                copied = row._replace(actor_name="", details=await _sealed(row, sealing, noted))
                hash_ = copied.chained(hash_)
                await copy.write_row(copied._replace(hash=hash_))


class _OfMinutes:
    """Seals searches, each under the key of the minute in which it was."""

    def __init__(self) -> None:
        self._minute: datetime | None = None
        self._searches = Searches()

    async def sealed(self, text: str, request: str, moment: datetime | None) -> dict[str, str]:
        minute = moment and moment.replace(second=0, microsecond=0)
        if minute != self._minute:
            self._minute, self._searches = minute, Searches()
        return (await self._searches.sealed({request: text}))[request]


async def _sealed(row: AccessRow, sealing: _OfMinutes, noted: Names) -> str:
    """Return an access's details; where nothing is to be sealed, letter by letter as they were."""
    details: dict[str, Any] = json.loads(row.details)
    if row.action == _VIEWS:
        named = [who for who in details.get("who", ()) if "name" in who]
        clear = [view for view in details["views"] if _is_clear(view[-1])]
        for who in named:
            await noted.note(who["sub"], who.pop("name"), row.moment)
        for view in clear:
            view[-1] = await sealing.sealed(view[-1][MEMBER], view[_REQUEST_OF_VIEW], row.moment)
        return to_json(details) if named or clear else row.details
    search = details.get(_SEARCH)
    if not _is_clear(search):
        search = details.get("filter")  # where an earlier release kept it
    if not _is_clear(search):
        return row.details
    text = search.pop(MEMBER)
    return to_json({**details, _SEARCH: await sealing.sealed(text, row.request_id, row.moment)})


def _is_clear(kept: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(kept, dict) and isinstance(kept.get(MEMBER), str)
