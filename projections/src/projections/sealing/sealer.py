"""Seals the log as it grows."""

import asyncio
import time
from typing import Final, Never

import psycopg
import structlog
from psycopg import AsyncConnection

from ops.base.connection import connect
from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint, SigningKey
from ops.base.tamper_evidence.merkle_tree import Frontier
from ops.base.tamper_evidence.sealed_log import SealedLog
from projections import metrics
from projections.failures import ProjectionStopped
from projections.locks import SEAL_KEY, try_to_lock
from projections.log import read_head
from projections.sealing.rows import origin_of, rows_between
from projections.sessions import ANSWER_SECONDS, end_when_silent

logger = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 5.0


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
                    while not await try_to_lock(connection, SEAL_KEY):  # noqa: ASYNC110 - it is the database's
                        await asyncio.sleep(LOOK_SECONDS)
                    await self._keep_sealing(connection)
            except (SealsDoNotFit, BadCheckpoint) as error:
                metrics.SEALING_FAILURES.labels("seals do not fit").inc()
                logger.error("seals_do_not_fit", error=str(error))  # noqa: TRY400 - the message says it all
            except (psycopg.OperationalError, OSError) as error:
                metrics.SEALING_FAILURES.labels(type(error).__name__).inc()
                logger.warning("sealing_interrupted", error=type(error).__name__)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _keep_sealing(self, connection: AsyncConnection) -> Never:
        origin = await origin_of(connection)
        frontier = await asyncio.to_thread(self._sealed, origin)
        unsealed_since: float | None = None
        while True:
            head = await read_head(connection)
            if head < frontier.size:
                raise SealsDoNotFit(f"the log ends at {head}, and was sealed up to {frontier.size}")
            metrics.SEALED_POSITION.set(frontier.size)
            if head == frontier.size:
                unsealed_since = None
            elif unsealed_since is None:
                unsealed_since = time.monotonic()
            if unsealed_since is not None and (
                head - frontier.size >= self._every_events
                or time.monotonic() - unsealed_since >= self._every_seconds
            ):
                await self._seal(connection, frontier, origin, head)
            else:
                await asyncio.sleep(LOOK_SECONDS)

    def _sealed(self, origin: str) -> Frontier:
        """Return the tree as it was sealed last."""
        frontier = Frontier()
        note = self._seals.latest_note()
        if note is not None:
            checkpoint = self._key.verifying_key.open(note)
            frontier.extend(self._seals.hashes(last=checkpoint.size))
            if (checkpoint.origin, checkpoint.root) != (origin, frontier.root):
                raise SealsDoNotFit("the checkpoint is another log's, or the file of hashes was changed")
        return frontier

    async def _seal(self, connection: AsyncConnection, frontier: Frontier, origin: str, head: int) -> None:
        hashes: list[bytes] = []
        async for rows in rows_between(connection, after=frontier.size, up_to=head):
            for row in rows:
                hashes.append(row.hash())
                frontier.append(hashes[-1])
                if row.position != frontier.size:
                    raise SealsDoNotFit(f"the event at position {frontier.size} is missing")
            await asyncio.sleep(0)
        checkpoint = Checkpoint(origin, frontier.size, frontier.root)
        await asyncio.to_thread(self._seals.seal, hashes, checkpoint, self._key)
        metrics.SEALED_MOMENT.set_to_current_time()
        logger.info("log_sealed", position=checkpoint.size, events=len(hashes))
