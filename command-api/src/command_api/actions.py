"""Asking the workers for something: it is written down, and recorded who did."""

import asyncio
from typing import Final
from uuid import UUID

from psycopg.rows import args_row

from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.encryption.actors import ACTORS
from ops.base.records.operations import ACTION_COLUMNS, Action, Kind, action_of
from ops.base.sign_in import Actor

_ASK: Final = f"""
SELECT {ACTION_COLUMNS}
FROM operations.ask(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::text)
"""  # noqa: S608 - put together from our own constants


class Actions:
    """Adds to what the workers are to do."""

    def __init__(self, dsn: str) -> None:
        """Prepare to add.

        Args:
            dsn: of a role that may call `operations.ask`.
        """
        self._dsn = dsn
        # Each takes a connection of its own, for they are few; a crowd of them takes no more than one.
        self._turn = asyncio.Lock()

    async def ask(
        self, action_id: UUID, kind: Kind, target: str | None, actor: Actor, request_id: str
    ) -> Action | None:
        """Ask for something, and have it recorded.

        Args:
            action_id: the same for the same request, however often it is sent.
            kind: what is to be done.
            target: with which projection; None: with all, or with the log.
            actor: who asks.
            request_id: in which request.

        Returns:
            What is asked for, or was by that id; None: the same is under way already.

        Raises:
            psycopg.OperationalError: the database cannot be reached.
        """
        name = await ACTORS.name_to_write(actor.sub, actor.name)
        async with (
            self._turn,
            await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection,
            connection.cursor(row_factory=args_row(action_of)) as cursor,
        ):
            await cursor.execute(_ASK, (action_id, kind, target, actor.sub, name, request_id))
            return await cursor.fetchone()
