"""Reads saved views."""

from typing import Final

from ops.base.encryption.key_cache import KEYS
from ops.base.records.saved_views import STORED_COLUMNS, SavedView, StoredView
from query_api.database.source import Source, fetch

_OF_USER: Final = f"SELECT {STORED_COLUMNS} FROM preferences.views WHERE sub = %s"  # noqa: S608 - constant


async def saved_views_of(source: Source, sub: str) -> list[SavedView]:
    """Return a user's views, ordered by list and name, without those whose key was destroyed."""

    stored = [StoredView._make(row) for row in await fetch(source, _OF_USER, (sub,))]
    await KEYS.load(one.key_id for one in stored if one.key_id is not None)
    views = [view for one in stored if (view := one.decrypt()) is not None]
    return sorted(views, key=lambda view: (view.list, view.name.casefold(), view.id))
