"""Views of lists that people have saved: those in the clear get keys of their own."""

from typing import Final

from psycopg import AsyncConnection

from ops.base.saved_views import KEPT_COLUMNS, KeptView, box_of_view
from ops.base.sealing.ring import KEYS

_SELECT: Final = f"SELECT {KEPT_COLUMNS} FROM preferences.views"  # noqa: S608 - our own constant
_INSERT: Final = f"INSERT INTO preferences.views ({KEPT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)"  # noqa: S608 - as above


async def copy_views(source: AsyncConnection, target: AsyncConnection) -> None:
    """Copy all views, sealed.

    Args:
        source: the database.
        target: another one, without any.

    Raises:
        KeysUnavailable: nothing can be sealed now.
    """
    for row in await (await source.execute(_SELECT)).fetchall():
        view = KeptView._make(row)
        if view.key_id is None and (said := view.opened()) is not None:
            key = await KEYS.new()
            box = box_of_view(key, view.sub, view.id, said.name, said.query)
            view = view._replace(key_id=key.id, box=box)
        await target.execute(_INSERT, view)
