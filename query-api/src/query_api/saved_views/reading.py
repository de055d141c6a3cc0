"""Reads what people have saved."""

from typing import Final

from ops.base.encryption.key_cache import KEYS
from ops.base.records.saved_views import STORED_COLUMNS, SavedView, StoredView
from query_api.reading.source import Source, fetch

_OF_ONE: Final = f"SELECT {STORED_COLUMNS} FROM preferences.views WHERE sub = %s"  # noqa: S608 - our own constant


async def saved_views_of(source: Source, sub: str) -> list[SavedView]:
    """Return somebody's views, by their lists and names; not those that nobody can open any more.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """
    kept = [StoredView._make(row) for row in await fetch(source, _OF_ONE, (sub,))]
    await KEYS.load(one.key_id for one in kept if one.key_id is not None)
    views = [view for one in kept if (view := one.decrypt()) is not None]
    return sorted(views, key=lambda view: (view.list, view.name.casefold(), view.id))
