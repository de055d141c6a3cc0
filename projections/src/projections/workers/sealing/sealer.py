"""Seals the log as it grows, and the end of the access log with it."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, Final, Never

import psycopg
import structlog
from psycopg import AsyncConnection

from ops.base.database.connection import connect
from ops.base.http.health import Check
from ops.base.process.tasks import running
from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.checkpoints import Checkpoint, may_be_of
from ops.tamper_evidence.merkle_tree import Frontier
from ops.tamper_evidence.sealed_log import HASH_BYTES, BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections import metrics
from projections.failures import LogStopped, ProjectionStopped
from projections.leases.locks import SEAL_KEY, try_to_lock
from projections.leases.sessions import ANSWER_SECONDS, end_when_silent
from projections.progress.lag import Lag
from projections.reading.log import read_head, require_going, stop
from projections.workers.sealing.agreement import REMEDY, SealsDoNotFit, accounts_for, agreed
from projections.workers.sealing.notes import access_head, has_access, last_note, remember
from projections.workers.sealing.retention import forget_accesses
from projections.workers.sealing.rows import former_origins, origin_of, rows_between
from projections.workers.sealing.witness_watch import Watch
from projections.workers.sealing.witnesses import Witness

logger = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 5.0
_WITNESS_SECONDS: Final = 10.0
"""So long witnesses may take to answer before anything is sealed; later ones are heard while it goes on."""
_HASHES_AT_ONCE: Final = 50_000
_HASHED_AT_ONCE: Final = 20
"""Events, which takes a millisecond: the projections go on in the same event loop."""
_WAITING: Final = """
SELECT extract(epoch FROM min(moment))::float8
FROM (
  SELECT moment FROM log.events WHERE notification_id = %s
  UNION ALL
  (SELECT moment FROM audit.accesses WHERE number > %s ORDER BY number LIMIT 1)
) AS waiting
HAVING min(moment) IS NOT NULL
"""
# A receipt has the seal that covers the event, and somebody waits for it.
_IS_AWAITED: Final = """
SELECT EXISTS (SELECT FROM privacy.erasures WHERE receipt IS NULL AND position > %s)
"""


class Sealer:
    """Signs a checkpoint whenever enough events have come, or enough time has passed since the first one."""

    def __init__(
        self,
        dsn: str,
        seals: SealedLog,
        key: SigningKey,
        *,
        every_events: int,
        every_seconds: float,
        witnesses: Sequence[Witness] = (),
        access_log_days: int = 0,
    ) -> None:
        """Describe the sealer; `run` makes it work.

        Args:
            dsn: where to connect, with the projection worker's rights.
            seals: where to.
            key: what to sign with.
            every_events: after how many events.
            every_seconds: after how long an event, or an access, is sealed at the latest.
            witnesses: who is told of every checkpoint.
            access_log_days: after how many days accesses are forgotten; 0: never.
        """
        self._dsn = dsn
        self._seals = seals
        self._key = key
        self._every_events = every_events
        self._every_seconds = every_seconds
        self._access_log_days = access_log_days
        self._watches = [Watch(witness, dsn, seals, key.verifying_key) for witness in witnesses]
        self._events, self._accesses = Lag(), Lag()
        self._fault: str | None = None
        # As it was when this process saw it last: one more place that remembers.
        self._last: Checkpoint | None = None
        self._note = ""
        self._leads = False
        self._unsealed_since = 0.0

    def readiness(self) -> Check:
        """Return whether what was sealed is there, as far as this process has seen."""
        away = [f"the witness {watch.name} is away: {watch.away}" for watch in self._watches if watch.away]
        detail: dict[str, Any] = {
            "role": "leading" if self._leads else "standby",
            "error": self._fault or "; ".join(away) or None,
            "position": self._last.size if self._last else None,
            "sealed_at": self._last.moment.timestamp() if self._last and self._last.moment else None,
            "unsealed_since": self._unsealed_since or None,
            "witnesses": {watch.name: watch.refused or watch.away or "agrees" for watch in self._watches},
            "away_since": {watch.name: watch.away_since for watch in self._watches if watch.away},
        }
        return Check(ok=self._fault is None, degraded=bool(away), detail=detail)

    async def run(self) -> None:
        """Seal until cancelled; one sealer at a time, the others wait."""
        while True:
            try:
                async with await connect(
                    self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS
                ) as connection:
                    await end_when_silent(connection)
                    while not await try_to_lock(connection, SEAL_KEY):
                        self._tell_unsealed(0.0)  # another one tells of it now
                        self._fault = None
                        await asyncio.sleep(LOOK_SECONDS)
                    await self._keep_sealing(connection)
            except (ProjectionStopped, BadSeals) as error:
                if isinstance(error, LogStopped):  # what has stopped it is told by everybody
                    metrics.SEALING_FAILURES.labels("log stopped").inc()
                else:
                    self._fault = str(error)
                    metrics.SEALS_DO_NOT_FIT.inc()
                logger.error("seals_do_not_fit", error=str(error))  # noqa: TRY400 - the message says it all
            except (psycopg.Error, OSError) as error:
                metrics.SEALING_FAILURES.labels(type(error).__name__).inc()
                logger.warning("sealing_interrupted", error=type(error).__name__)
            self._lead(leads=False)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _keep_sealing(self, connection: AsyncConnection) -> Never:
        origin = await origin_of(connection)
        last, frontier = await self._resume(connection, origin)
        self._fault = None
        self._lead(leads=True)
        async with running(*[partial(watch.keep_notified, lambda: self._note) for watch in self._watches]):
            await self._grow(connection, last, frontier)

    async def _grow(self, connection: AsyncConnection, last: Checkpoint, frontier: Frontier) -> Never:
        origin = await origin_of(connection)
        while True:
            await require_going(connection)
            if await origin_of(connection) != origin:
                raise SealsDoNotFit("an operator has given the log another name")
            await self._require_as_left(connection, last)
            head, accesses = await read_head(connection), await access_head(connection)
            if head < last.size:
                await stop(connection, f"the log ends at {head}, and was sealed up to {last.size}")
            is_whole = (head, accesses) == (last.size, last.accesses)
            since = await self._waiting_since(connection, last, head, accesses)
            metrics.SEALED_POSITION.set(last.size)
            metrics.UNSEALED_EVENTS.set(head - last.size)
            self._tell_unsealed(0.0 if is_whole else since)
            if head - last.size >= self._every_events:
                last = await self._seal(connection, last, frontier, last.size + self._every_events, accesses)
            elif not is_whole and (
                time.time() - since >= self._every_seconds or await _is_awaited(connection, last)
            ):
                last = await self._seal(connection, last, frontier, head, accesses)
            else:
                await asyncio.sleep(LOOK_SECONDS)

    async def _require_as_left(self, connection: AsyncConnection, last: Checkpoint) -> None:
        """See that every place still has the last checkpoint, and no later one.

        Raises:
            SealsDoNotFit: one has not.
        """
        size, note = await asyncio.to_thread(lambda: (self._seals.newest(), self._seals.note(last.size)))
        if (size, note) != (last.size, self._note):
            raise SealsDoNotFit(f"the checkpoint of position {last.size} was taken away or changed: {REMEDY}")
        if await last_note(connection) != self._note:
            raise SealsDoNotFit(f"the database's last checkpoint is not of position {last.size}: {REMEDY}")
        for watch in self._watches:
            if watch.refused is not None:
                raise SealsDoNotFit(watch.refused)

    async def _waiting_since(
        self, connection: AsyncConnection, last: Checkpoint, head: int, accesses: AccessHead
    ) -> float:
        """Return since when the oldest event or access after a checkpoint has waited, in seconds since 1970.

        That is as it says itself, also while no sealer ran; but neither before the checkpoint was signed, nor
        after this process came to know of it, for its moment may be any.
        """
        known = time.time() - max(
            self._events.seconds(position=last.size, head=head),
            self._accesses.seconds(position=last.accesses.number, head=accesses.number),
        )
        cursor = await connection.execute(_WAITING, (last.size + 1, last.accesses.number))
        # None: it is missing, which sealing will tell.
        said = min((float(moment) for (moment,) in await cursor.fetchall()), default=known)
        signed = last.moment.timestamp() if last.moment and last.size else said
        return min(known, max(said, signed))

    async def _resume(self, connection: AsyncConnection, origin: str) -> tuple[Checkpoint, Frontier]:
        """Return the last checkpoint, on which all places agree, and the tree as it was sealed.

        Hashes that a crash has kept from the disk are added. A new log is sealed
        as an empty one first: so sealing begins by itself, once.
        """
        checkpoint = await asyncio.to_thread(self._seals.latest, self._key.verifying_key)
        frontier, missing = await self._sealed(connection, origin, checkpoint)
        last = await agreed(connection, self._seals, self._key.verifying_key)
        if self._last is not None and (
            last is None or not accounts_for(self._seals, self._key.verifying_key, last, self._last)
        ):
            raise SealsDoNotFit(f"the checkpoint of position {self._last.size} is gone everywhere: {REMEDY}")
        if last is None:
            await require_going(connection)
            return await self._sign(connection, Checkpoint(origin, 0, frontier.root, 0), []), frontier
        if not await has_access(connection, last.accesses):
            raise SealsDoNotFit(f"access {last.accesses.number} does not match its seal: {REMEDY}")
        self._told(last, self._seals.note(last.size))
        await self._ask_witnesses()
        if missing:
            await asyncio.to_thread(self._seals.append, missing)
            logger.warning("seals_restored", position=last.size, events=len(missing))
        return last, frontier

    async def _sealed(
        self, connection: AsyncConnection, origin: str, checkpoint: Checkpoint | None
    ) -> tuple[Frontier, list[bytes]]:
        """Return the tree up to a checkpoint, and those of its hashes that the folder lacks."""
        size = checkpoint.size if checkpoint else 0
        if self._seals.hash_bytes > size * HASH_BYTES:
            raise SealsDoNotFit(f"the checkpoint of the hashes after position {size} is missing")
        frontier = Frontier()
        if checkpoint is None:
            return frontier, []
        if (head := await read_head(connection)) < size:
            await stop(connection, f"the log ends at {head}, and was sealed up to {size}")
        last = b""
        hashes = self._seals.hashes(up_to=size)
        while stretch := list(islice(hashes, _HASHES_AT_ONCE)):
            await asyncio.to_thread(frontier.extend, stretch)
            last = stretch[-1]
            await connection.execute("SELECT")  # a silent session is ended
        # Restored and grown again, the log has other events there.
        found = [
            hash_ async for hash_ in hashes_between(connection, after=frontier.size - 1, up_to=frontier.size)
        ]
        if frontier.size and found not in ([], [last]):
            await stop(connection, f"the event at position {frontier.size} is not the one that was sealed")
        missing = [hash_ async for hash_ in hashes_between(connection, after=frontier.size, up_to=size)]
        frontier.extend(missing)
        if not may_be_of(checkpoint, origin, await former_origins(connection)):
            raise SealsDoNotFit("the last checkpoint is another log's")
        if (checkpoint.size, checkpoint.root) != (frontier.size, frontier.root):
            raise SealsDoNotFit("the log or the hashes were changed")
        return frontier, missing

    async def _ask_witnesses(self) -> None:
        asking = [asyncio.create_task(watch.ask(self._note)) for watch in self._watches]
        if asking:
            await asyncio.wait(asking, timeout=_WITNESS_SECONDS)
        for task in asking:
            task.cancel()
        for watch in self._watches:
            if watch.refused is not None:
                raise SealsDoNotFit(watch.refused)

    async def _seal(
        self,
        connection: AsyncConnection,
        last: Checkpoint,
        frontier: Frontier,
        up_to: int,
        accesses: AccessHead,
    ) -> Checkpoint:
        if not await has_access(connection, last.accesses):
            raise SealsDoNotFit(f"access {last.accesses.number} does not match its seal: {REMEDY}")
        hashes = [hash_ async for hash_ in hashes_between(connection, after=last.size, up_to=up_to)]
        for start in range(0, len(hashes), _HASHED_AT_ONCE):
            frontier.extend(hashes[start : start + _HASHED_AT_ONCE])
            await asyncio.sleep(0)
        if frontier.size != up_to:
            raise SealsDoNotFit(f"the event at position {frontier.size + 1} is missing")
        checkpoint = replace(last, accesses=accesses)
        if hashes:
            origin = await origin_of(connection)
            checkpoint = replace(
                checkpoint, origin=origin, size=frontier.size, root=frontier.root, previous=last.size
            )
        signed = await self._sign(connection, checkpoint, hashes)
        if self._access_log_days:
            await forget_accesses(connection, self._key.verifying_key, signed, days=self._access_log_days)
        logger.info("log_sealed", position=signed.size, events=len(hashes), accesses=accesses.number)
        return signed

    async def _sign(
        self, connection: AsyncConnection, checkpoint: Checkpoint, hashes: Sequence[bytes]
    ) -> Checkpoint:
        """Sign a checkpoint, in the folder and then in the database; see `agreed` for a crash between."""
        signed = signed_now(checkpoint, after=self._last)
        note = await asyncio.to_thread(self._seals.seal, hashes, signed, self._key)
        await remember(connection, [(signed.size, note)])
        self._told(signed, note)
        return signed

    def _lead(self, *, leads: bool) -> None:
        self._leads = leads
        metrics.SEALING.set(leads)

    def _tell_unsealed(self, since: float) -> None:
        self._unsealed_since = since
        metrics.UNSEALED_SINCE.set(since)

    def _told(self, last: Checkpoint, note: str) -> None:
        self._last, self._note = last, note
        if last.moment is not None:
            metrics.SEALED_MOMENT.set(last.moment.timestamp())


def signed_now(checkpoint: Checkpoint, *, after: Checkpoint | None) -> Checkpoint:
    """Return a checkpoint with the moment at which it is signed; none is signed before the last one."""
    now = datetime.now(UTC).replace(microsecond=0)
    return replace(checkpoint, moment=max(now, after.moment) if after and after.moment else now)


async def _is_awaited(connection: AsyncConnection, last: Checkpoint) -> bool:
    """Whether an erasure needs a seal after the last one."""
    return await (await connection.execute(_IS_AWAITED, (last.size,))).fetchone() == (True,)


async def hashes_between(connection: AsyncConnection, *, after: int, up_to: int) -> AsyncIterator[bytes]:
    """Give the hashes of the events after a position; it ends early where one is missing."""
    async for rows in rows_between(connection, after=after, up_to=up_to):
        for number, row in enumerate(rows, start=1):
            after += 1
            if row.position != after:
                return
            try:
                yield row.hash()
            except (TypeError, ValueError, AttributeError):
                raise SealsDoNotFit(f"the event at position {after} is no event") from None
            if number % _HASHED_AT_ONCE == 0:
                await asyncio.sleep(0)
