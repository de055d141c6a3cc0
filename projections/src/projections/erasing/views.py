"""Views of lists that people have saved: those of who is forgotten go, and those that tell of somebody."""

from collections.abc import Collection, Sequence
from typing import Final
from urllib.parse import parse_qsl

from psycopg import AsyncConnection

from ops.base.saved_views import KEPT_COLUMNS, KeptView, SavedView
from ops.base.sealing.ring import KEYS
from projections.tables.search_terms import folded

_SEARCH: Final = "q"
_SHORTEST: Final = 3
"""Shorter searches find so many that they tell of nobody."""
_ALL: Final = f"SELECT {KEPT_COLUMNS} FROM preferences.views"  # noqa: S608 - our own constant
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


async def drop_views(connection: AsyncConnection, subs: Collection[str], texts: Collection[str]) -> list[str]:
    """Drop all views of some people, and those of others that tell of somebody.

    Args:
        connection: with the rights of whoever seals.
        subs: whose views go.
        texts: that tell of somebody.

    Returns:
        The keys of all views that there are no more, also of those that were changed or dropped before.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """
    kept = [KeptView._make(row) for row in await (await connection.execute(_ALL)).fetchall()]
    if texts:
        await KEYS.load(view.key_id for view in kept if view.key_id is not None)
    wanted = [folded(text) for text in texts]
    gone = [view for view in kept if view.sub in subs or _tells(view.opened() if texts else None, wanted)]
    await connection.execute(_DROP, ([view.sub for view in gone], [view.id for view in gone]))
    return [key_id for (key_id,) in await (await connection.execute(_FORMER)).fetchall()]


async def forget_keys(connection: AsyncConnection, key_ids: Sequence[str]) -> None:
    """Take note that keys of former views are destroyed."""
    await connection.execute(_FORGET, (list(key_ids),))


def _tells(view: SavedView | None, wanted: Collection[str]) -> bool:
    """Whether what a view is called or asks for names somebody; a part of a name is enough for a search."""
    if view is None:
        return False
    asked = parse_qsl(view.query)
    said = [folded(text) for text in (view.name, *(value for _, value in asked))]
    searched = [folded(value) for name, value in asked if name == _SEARCH and len(value) >= _SHORTEST]
    return any(text in one for text in wanted for one in said) or any(
        one in text for text in wanted for one in searched
    )
