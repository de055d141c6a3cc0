"""The projections of a process that stand at the log's end: they move on together."""

import asyncio
from typing import Final, Never

import structlog

from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from ops.base.process.tasks import running
from projections.applying.projection import Projection
from projections.applying.step import Standing, apply_together
from projections.leading.sessions import ANSWER_SECONDS, end_when_silent
from projections.progress.positions import Place
from projections.reading.tail import Tail

logger = structlog.get_logger()

LOCK_SECONDS: Final = 0.2
"""Who must wait longer for a table waits alone, and holds up no others."""
_IDLE_SECONDS: Final = 3600.0


class Rider:
    """A projection that is moved on with others."""

    def __init__(self, projection: Projection, place: Place) -> None:
        """Describe it.

        Args:
            projection: one that nobody else moves meanwhile, but for other workers.
            place: where it stands.
        """
        self.projection = projection
        self.place = place
        """Where it stands now."""
        self.left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when it rides no more: there may be events that it must be given alone."""
        self.is_moving = False
        self._wants_to_leave = False

    def leave(self) -> None:
        """Ride no more, as soon as it is not moving."""
        self._wants_to_leave = True
        if not self.is_moving and not self.left.done():
            self.left.set_result(None)

    def stop(self) -> None:
        """Be between two moves."""
        self.is_moving = False
        if self._wants_to_leave:
            self.leave()


class Convoy:
    """Applies each of the log's new events to all projections that ride, in one transaction.

    What it cannot do for all of them, each is to do alone: so one that fails, waits or was taken over is told
    of by itself, while the others ride on.
    """

    def __init__(self, dsn: str, tail: Tail) -> None:
        """Describe the convoy; `run` makes it move.

        Args:
            dsn: where to connect, with the projection worker's rights.
            tail: where new events come from; `run` runs it, too.
        """
        self.tail = tail
        self._dsn = dsn
        self._riders: list[Rider] = []
        self._session: PreparedSession | None = None

    def join(self, projection: Projection, place: Place) -> Rider:
        """Let a projection ride, until it leaves or must."""
        rider = Rider(projection, place)
        self._riders.append(rider)
        self.tail.changed.set()
        return rider

    async def run(self) -> Never:
        """Move until cancelled."""
        async with running(self.tail.run):
            try:
                while True:
                    await self.tail.changed.wait()
                    self.tail.changed.clear()
                    while await self._move():
                        pass
            finally:
                await self._close()

    async def _move(self) -> bool:
        """Move those on that are furthest behind; False: none is."""
        self._riders = [rider for rider in self._riders if not rider.left.done()]
        if not self._riders:
            return False
        position = min(rider.place.position for rider in self._riders)
        group = [rider for rider in self._riders if rider.place.position == position]
        if not self.tail.reaches(position):
            for rider in group:
                rider.leave()
            return True
        batch = self.tail.after(position)
        if not batch:
            return False
        for rider in group:
            rider.is_moving = True
        try:
            session = self._session or await self._connect()
            standing = [Standing(rider.projection, rider.place) for rider in group]
            moved = await apply_together(session, standing, batch)
        except Exception as error:  # noqa: BLE001 - whatever it is, each finds out for itself
            logger.info("projections_part", error=type(error).__name__)
            moved = False
            await self._close()
        for rider in group:
            if moved:
                rider.place = rider.place._replace(position=batch[-1].position)
            rider.stop()
            if not moved:
                rider.leave()
        return True

    async def _connect(self) -> PreparedSession:
        connection = await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
        # It holds no lock between transactions, so it may be idle for as long as it likes.
        await end_when_silent(connection, idle_seconds=_IDLE_SECONDS, transaction_seconds=ANSWER_SECONDS)
        lock_timeout = f"{round(1000 * LOCK_SECONDS)}ms"
        await connection.execute("SELECT set_config('lock_timeout', %s, false)", (lock_timeout,))
        self._session = PreparedSession(connection)
        return self._session

    async def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()
