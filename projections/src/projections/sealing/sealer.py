"""Seals the log as it grows."""

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import islice
from typing import Final, Never

import psycopg
import structlog
from psycopg import AsyncConnection

from ops.base.connection import connect
from ops.base.tamper_evidence.checkpoints import Checkpoint, may_bear
from ops.base.tamper_evidence.merkle_tree import Frontier
from ops.base.tamper_evidence.sealed_log import HASH_BYTES, BadSeals, SealedLog
from ops.base.tamper_evidence.signed_notes import SigningKey
from projections import metrics
from projections.failures import LogStopped, ProjectionStopped
from projections.locks import SEAL_KEY, try_to_lock
from projections.log import read_head, require_going, stop
from projections.sealing.rows import former_origins, origin_of, rows_between
from projections.sessions import ANSWER_SECONDS, end_when_silent

logger = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 5.0
_HASHES_AT_ONCE: Final = 50_000
_WAITING: Final = """
SELECT extract(epoch FROM moment)::float8, extract(epoch FROM clock_timestamp() - moment)::float8
FROM log.events WHERE notification_id = %s
"""


class SealsDoNotFit(ProjectionStopped):
    """What has been sealed is not what is there: somebody must look at it before more is sealed."""


class Sealer:
    """Signs a checkpoint whenever enough events have come, or enough time has passed since the first one."""

    def __init__(
        self, dsn: str, seals: SealedLog, key: SigningKey, *, every_events: int, every_seconds: float
    ) -> None:
        """Describe the sealer; `run` makes it work.

        Args:
            dsn: where to connect, with the projection worker's rights.
            seals: where to.
            key: what to sign with.
            every_events: after how many events.
            every_seconds: after how long an event is sealed at the latest.
        """
        self._dsn = dsn
        self._seals = seals
        self._key = key
        self._every_events = every_events
        self._every_seconds = every_seconds

    async def run(self) -> None:
        """Seal until cancelled; one sealer at a time, the others wait."""
        while True:
            try:
                async with await connect(
                    self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS
                ) as connection:
                    await end_when_silent(connection)
                    while not await try_to_lock(connection, SEAL_KEY):
                        metrics.UNSEALED_SINCE.set(0)  # another one tells of it now
                        await asyncio.sleep(LOOK_SECONDS)
                    await self._keep_sealing(connection)
            except (ProjectionStopped, BadSeals) as error:
                if isinstance(error, LogStopped):  # what has stopped it is told by everybody
                    metrics.SEALING_FAILURES.labels("log stopped").inc()
                else:
                    metrics.SEALS_DO_NOT_FIT.inc()
                logger.error("seals_do_not_fit", error=str(error))  # noqa: TRY400 - the message says it all
            except (psycopg.Error, OSError) as error:
                metrics.SEALING_FAILURES.labels(type(error).__name__).inc()
                logger.warning("sealing_interrupted", error=type(error).__name__)
            metrics.SEALING.set(0)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _keep_sealing(self, connection: AsyncConnection) -> Never:
        origin = await origin_of(connection)
        frontier = await self._sealed(connection, origin)
        metrics.SEALING.set(1)
        unsealed_since: float | None = None
        while True:
            await require_going(connection)
            if await origin_of(connection) != origin:
                raise SealsDoNotFit("an operator has given the log another name")
            head = await read_head(connection)
            if head < frontier.size:
                await stop(connection, f"the log ends at {head}, and was sealed up to {frontier.size}")
            waited = await self._waited(connection, frontier.size + 1) if head > frontier.size else 0.0
            metrics.SEALED_POSITION.set(frontier.size)
            metrics.UNSEALED_EVENTS.set(head - frontier.size)
            if head == frontier.size:
                metrics.UNSEALED_SINCE.set(0)
                unsealed_since = None
            elif unsealed_since is None:
                unsealed_since = time.monotonic()
            if head - frontier.size >= self._every_events:
                await self._seal(connection, frontier, origin, frontier.size + self._every_events)
            elif unsealed_since is not None and (
                time.monotonic() - unsealed_since >= self._every_seconds or waited >= self._every_seconds
            ):
                await self._seal(connection, frontier, origin, head)
                unsealed_since = None
            else:
                await asyncio.sleep(LOOK_SECONDS)

    async def _waited(self, connection: AsyncConnection, position: int) -> float:
        """Return for how many seconds an event has waited, by the log's time: also while no sealer ran."""
        cursor = await connection.execute(_WAITING, (position,))
        for appended, waited in await cursor.fetchall():
            metrics.UNSEALED_SINCE.set(appended)
            return float(waited)
        return 0.0  # it is missing, which sealing will tell

    async def _sealed(self, connection: AsyncConnection, origin: str) -> Frontier:
        """Return the tree as it was sealed last; hashes that a crash has kept from the disk are added."""
        checkpoint = await asyncio.to_thread(self._seals.latest, self._key.verifying_key)
        size = checkpoint.size if checkpoint else 0
        if checkpoint is not None:
            metrics.SEALED_MOMENT.set(self._seals.signed_at(size))
        if self._seals.hash_bytes > size * HASH_BYTES:
            raise SealsDoNotFit(f"the checkpoint of the hashes after position {size} is missing")
        frontier = Frontier()
        if checkpoint is None:
            return frontier
        last = b""
        hashes = self._seals.hashes(up_to=size)
        while stretch := list(islice(hashes, _HASHES_AT_ONCE)):
            await asyncio.to_thread(frontier.extend, stretch)
            last = stretch[-1]
            await connection.execute("SELECT")  # a silent session is ended
        # Restored and grown again, the log has other events there.
        found = [
            hash_ async for hash_ in _hashes_between(connection, after=frontier.size - 1, up_to=frontier.size)
        ]
        if found not in ([], [last]):
            await stop(connection, f"the event at position {frontier.size} is not the one that was sealed")
        missing = [hash_ async for hash_ in _hashes_between(connection, after=frontier.size, up_to=size)]
        frontier.extend(missing)
        if not may_bear(checkpoint, origin, await former_origins(connection)):
            raise SealsDoNotFit("the last checkpoint is another log's")
        if (checkpoint.size, checkpoint.root) != (frontier.size, frontier.root):
            raise SealsDoNotFit("the log or the hashes were changed")
        if missing:
            await asyncio.to_thread(self._seals.append, missing)
            logger.warning("seals_restored", position=size, events=len(missing))
        return frontier

    async def _seal(self, connection: AsyncConnection, frontier: Frontier, origin: str, up_to: int) -> None:
        previous = frontier.size
        hashes = [hash_ async for hash_ in _hashes_between(connection, after=previous, up_to=up_to)]
        frontier.extend(hashes)
        if frontier.size != up_to:
            raise SealsDoNotFit(f"the event at position {frontier.size + 1} is missing")
        checkpoint = Checkpoint(origin, frontier.size, frontier.root, previous)
        await asyncio.to_thread(self._seals.seal, hashes, checkpoint, self._key)
        metrics.SEALED_MOMENT.set_to_current_time()
        logger.info("log_sealed", position=checkpoint.size, events=len(hashes))


async def _hashes_between(connection: AsyncConnection, *, after: int, up_to: int) -> AsyncIterator[bytes]:
    """Give the hashes of the events after a position; it ends early where one is missing."""
    async for rows in rows_between(connection, after=after, up_to=up_to):
        for row in rows:
            after += 1
            if row.position != after:
                return
            try:
                yield row.hash()
            except (TypeError, ValueError, AttributeError):
                raise SealsDoNotFit(f"the event at position {after} is no event") from None
        await asyncio.sleep(0)
