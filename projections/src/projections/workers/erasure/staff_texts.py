"""Texts that staff have written about an erased person: saved views, and searches in the access log."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError
from ops.base.encryption.searches import decrypt_search, load_search_keys, search_key_id
from ops.base.records.saved_views import STORED_COLUMNS, SavedView, StoredView
from projections.workers.erasure.traces import Traces

_AT_ONCE: Final = 500
# The query API records searches in batches of views, or in rows of other actions.
_SEARCHES: Final = """
SELECT request, search FROM (
  SELECT number, view ->> 4 AS request, view -> -1 AS search
  FROM audit.accesses CROSS JOIN LATERAL json_array_elements(details -> 'views') AS views (view)
  WHERE action = 'views'
  UNION ALL
  SELECT number, request_id, details -> 'search' FROM audit.accesses WHERE action <> 'views'
) AS searches
WHERE number > %s AND json_typeof(search) = 'object'
"""

_SEARCH: Final = "q"
_ALL: Final = f"SELECT {STORED_COLUMNS} FROM preferences.views"  # noqa: S608 - our own constant
_DROP: Final = """
WITH dropped AS (
  DELETE FROM preferences.views
  WHERE (sub, id) IN (SELECT * FROM unnest(%s::text[], %s::uuid[])) RETURNING key_id
)
INSERT INTO preferences.former_keys (key_id)
SELECT key_id FROM dropped WHERE key_id IS NOT NULL ON CONFLICT DO NOTHING
"""
_FORMER: Final = "SELECT key_id FROM preferences.former_keys ORDER BY key_id"
_FORGET: Final = "DELETE FROM preferences.former_keys WHERE key_id = ANY(%s::text[])"

T = TypeVar("T")


async def keys_of_searches(
    connection: AsyncConnection, wanted: Mapping[T, Traces | None], *, after: int = 0
) -> dict[T, list[str]]:
    """Return the keys of the minutes in which users searched for people.

    Args:
        connection: with the sealer's rights.
        wanted: what identifies each person; None if unknown, which matches every search.
        after: the number of an access; only later ones are examined.

    Raises:
        KeysUnavailable: keys cannot be loaded now.
    """
    found: dict[T, set[str]] = {who: set() for who in wanted}
    async with connection.transaction(), connection.cursor("searches") as cursor:
        await cursor.execute(_SEARCHES, (after,))
        while rows := await cursor.fetchmany(_AT_ONCE):
            await load_search_keys(search for _, search in rows)
            for request, search in rows:
                lines = _decrypt(search, request).split("\n")
                for who, one in wanted.items():
                    if one is None or any(map(one.match_search, lines)):
                        found[who].add(search_key_id(search))
    return {who: sorted(keys) for who, keys in found.items()}


def _decrypt(search: Mapping[str, Any], request: str) -> str:
    try:
        return decrypt_search(search, request) or ""
    except DecryptionError:
        return ""  # the row was changed, which verification reports


async def drop_views(
    connection: AsyncConnection, subs: Collection[str], people: Sequence[Traces]
) -> list[str]:
    """Delete all views of some users, and other users' views that identify some people.

    Args:
        connection: with the sealer's rights.

    Returns:
        The keys of all deleted views, and of views that users changed or deleted before.

    Raises:
        KeysUnavailable: keys cannot be loaded now.
    """
    kept = [StoredView._make(row) for row in await (await connection.execute(_ALL)).fetchall()]
    if people:
        await KEYS.load(view.key_id for view in kept if view.key_id is not None)
    gone = [view for view in kept if view.sub in subs or (people and _names(view.decrypt(), people))]
    await connection.execute(_DROP, ([view.sub for view in gone], [view.id for view in gone]))
    return [key_id for (key_id,) in await (await connection.execute(_FORMER)).fetchall()]


async def forget_keys(connection: AsyncConnection, key_ids: Sequence[str]) -> None:
    """Record that the keys of deleted views are destroyed."""
    await connection.execute(_FORGET, (list(key_ids),))


def _names(view: SavedView | None, people: Sequence[Traces]) -> bool:
    """Return whether a view's name, filters or search identify one of some people."""
    if view is None:
        return False
    asked = parse_qsl(view.query)
    text = " ".join([view.name, *(value for _, value in asked)])
    searched = [value for name, value in asked if name == _SEARCH]
    return any(one.match(text) or any(map(one.match_search, searched)) for one in people)
