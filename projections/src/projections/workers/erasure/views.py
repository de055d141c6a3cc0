"""Deletes saved views of lists: an erased user's own, and those that identify an erased person."""

from collections.abc import Collection, Sequence
from typing import Final
from urllib.parse import parse_qsl

from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.records.saved_views import STORED_COLUMNS, SavedView, StoredView
from projections.workers.erasure.traces import Traces

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
