"""Keeping the views of lists that people save."""

import asyncio
from typing import Any, Final
from uuid import UUID

from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.encryption.key_cache import KEYS
from ops.base.records.operations import moment_text
from ops.base.records.saved_views import MOST_VIEWS, SavedView, box_of_view

_KEEP: Final = "SELECT preferences.keep_view(%s::text, %s::uuid, %s::text, %s::text, %s::bytea, %s::integer)"
_DROP: Final = "SELECT preferences.drop_view(%s::text, %s::uuid)"


class SavedViews:
    """Writes them down, sealed, and drops them."""

    def __init__(self, dsn: str) -> None:
        """Prepare to write.

        Args:
            dsn: of a role that may call `preferences.keep_view` and `preferences.drop_view`.
        """
        self._dsn = dsn
        # Each takes a connection of its own, for they are few; a crowd of them takes no more than one.
        self._turn = asyncio.Lock()

    async def keep(self, sub: str, view_id: UUID, of_list: str, name: str, query: str) -> SavedView | None:
        """Keep a view, in the place of the one of that id, if there is one.

        Args:
            sub: whose it is.
            view_id: which of theirs.
            of_list: of which list.
            name: what it is called.
            query: what it asks for.

        Returns:
            The view as it is kept; None: they have as many of that list as they may have.

        Raises:
            KeysUnavailable: it cannot be sealed now.
            psycopg.OperationalError: the database cannot be reached.
        """
        # Another key each time: with a view, what it was before can be forgotten.
        key = await KEYS.issue() if KEYS.seals else None
        box = box_of_view(key, sub, view_id, name, query)
        row = await self._call(_KEEP, sub, view_id, of_list, key and key.id, box, MOST_VIEWS)
        if row is None:
            if key is not None:
                KEYS.put_back(key)
            return None
        changed_at = moment_text(row)
        return SavedView(id=str(view_id), list=of_list, name=name, query=query, changed_at=changed_at)

    async def drop(self, sub: str, view_id: UUID) -> None:
        """Drop a view of somebody's, if there is one.

        Raises:
            psycopg.OperationalError: the database cannot be reached.
        """
        await self._call(_DROP, sub, view_id)

    async def _call(self, statement: str, *parameters: Any) -> Any:
        async with (
            self._turn,
            await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection,
        ):
            row = await (await connection.execute(statement, parameters)).fetchone()
            return row and row[0]
