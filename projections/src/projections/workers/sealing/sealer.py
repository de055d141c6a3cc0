"""Seals the log, and the end of the access log, as they grow."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, Final, Never

import psycopg
import structlog
from cryptography.x509 import Certificate
from psycopg import AsyncConnection

from ops.base.http.health import ReadinessCheck
from ops.base.process.tasks import running
from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.checkpoints import Checkpoint, may_be_of
from ops.tamper_evidence.merkle_tree import Frontier
from ops.tamper_evidence.sealed_log import BLOCK, HASH_BYTES, BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from ops.tamper_evidence.stream_tree import StreamTree
from projections import metrics
from projections.event_log import read_head, require_going, stop
from projections.failures import LogStopped, ProjectionStopped
from projections.leadership.locks import try_to_lock
from projections.leadership.sessions import open_session
from projections.progress.lag import Lag
from projections.workers.sealing.agreement import REMEDY, SealsDoNotFit, accounts_for, agreed
from projections.workers.sealing.audit_tables import (
    access_head,
    add_missing_blocks,
    add_sealed,
    has_access,
    last_note,
    sign_manifests,
)
from projections.workers.sealing.retention import forget_accesses
from projections.workers.sealing.rows import (
    HASHED_AT_ONCE,
    add_heads,
    former_origins,
    hashes_between,
    origin_of,
)
from projections.workers.sealing.time_stamper import TimeStamper
from projections.workers.sealing.witness_watch import WitnessWatch
from projections.workers.sealing.witnesses import Witness
from read_model.lock_keys import SEAL_KEY

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 5.0
_WITNESS_SECONDS: Final = 10.0
"""Time for the witnesses' answers before sealing starts without them."""
_HASHES_AT_ONCE: Final = 50_000
_WAITING: Final = """
SELECT extract(epoch FROM min(moment))::float8
FROM (
  SELECT moment FROM log.events WHERE notification_id = %s
  UNION ALL
  (SELECT moment FROM audit.accesses WHERE number > %s ORDER BY number LIMIT 1)
) AS waiting
HAVING min(moment) IS NOT NULL
"""
# The receipt of an erasure requires a checkpoint that covers its event.
_AWAITING: Final = "SELECT 1 FROM privacy.erasures WHERE receipt IS NULL AND position > %s LIMIT 1"


class Sealer:
    """Signs a checkpoint after a number of events, or some time after the first one.

    Args:
        dsn: where to connect, with the projection worker's rights.
        every_seconds: the longest time for which an event or an access stays unsealed.
        witnesses: notified of every checkpoint.
        authorities: addresses of time stamp authorities.
        trusted: their root certificates.
        access_log_days: retention period of accesses in days; 0: unlimited.
    """

    def __init__(
        self,
        dsn: str,
        seals: SealedLog,
        key: SigningKey,
        *,
        every_events: int,
        every_seconds: float,
        witnesses: Sequence[Witness] = (),
        authorities: Sequence[str] = (),
        trusted: Sequence[Certificate] = (),
        access_log_days: int = 0,
    ) -> None:
        self._dsn = dsn
        self._seals = seals
        self._key = key
        self._every_events = every_events
        self._every_seconds = every_seconds
        self._access_log_days = access_log_days
        self._watches = [WitnessWatch(witness, dsn, seals, key.verifying_key) for witness in witnesses]
        self._stampers = [TimeStamper(url, trusted, dsn, seals, key.verifying_key) for url in authorities]
        self._events, self._accesses = Lag(), Lag()
        self._streams = StreamTree()
        self._fault: str | None = None
        # The last checkpoint that this process has seen, which it compares with the others.
        self._last: Checkpoint | None = None
        self._note = ""
        self._leads = False
        self._unsealed_since = 0.0

    def readiness(self) -> ReadinessCheck:
        """Return the state of sealing, with the faults that this process has found."""
        away = [f"the witness {watch.name} is away: {watch.away}" for watch in self._watches if watch.away]
        away += [f"no time stamp from {one.name}: {one.away}" for one in self._stampers if one.away]
        detail: dict[str, Any] = {
            "role": "leading" if self._leads else "standby",
            "error": self._fault or "; ".join(away) or None,
            "position": self._last.size if self._last else None,
            "sealed_at": self._last.moment.timestamp() if self._last and self._last.moment else None,
            "unsealed_since": self._unsealed_since or None,
            "witnesses": {watch.name: watch.refused or watch.away or "agrees" for watch in self._watches},
            "time_stamp_authorities": {one.name: one.away or "answers" for one in self._stampers},
            "away_since": {one.name: one.away_since for one in (*self._watches, *self._stampers) if one.away},
        }
        return ReadinessCheck(ok=self._fault is None, degraded=bool(away), detail=detail)

    async def run(self) -> None:
        """Seal until cancelled, or wait while another sealer leads."""
        while True:
            try:
                async with open_session(self._dsn) as connection:
                    while not await try_to_lock(connection, SEAL_KEY):
                        self._set_unsealed(0.0)  # the leader reports it
                        self._fault = None
                        await asyncio.sleep(POLL_SECONDS)
                    await self._keep_sealing(connection)
            except (ProjectionStopped, BadSeals) as error:
                if isinstance(error, LogStopped):  # every service reports the reason
                    metrics.SEALING_FAILURES.labels("log stopped").inc()
                else:
                    self._fault = str(error)
                    metrics.SEALS_DO_NOT_FIT.inc()
                logger.error("seals_do_not_fit", error=str(error))  # noqa: TRY400 - a trace adds nothing
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
        async with running(
            *[partial(watch.keep_notified, lambda: self._note) for watch in self._watches],
            *[partial(stamper.keep_stamping, lambda: self._note) for stamper in self._stampers],
        ):
            await self._grow(connection, origin, last, frontier)

    async def _grow(
        self, connection: AsyncConnection, origin: str, last: Checkpoint, frontier: Frontier
    ) -> Never:
        while True:
            await require_going(connection)
            if await origin_of(connection) != origin:
                raise SealsDoNotFit("an operator has given the log a new id")
            await self._require_unchanged(connection, last)
            await sign_manifests(connection, self._key)
            head, accesses = await read_head(connection), await access_head(connection)
            if head < last.size:
                await stop(connection, f"the log ends at {head}, and was sealed up to {last.size}")
            is_sealed = (head, accesses) == (last.size, last.accesses)
            since = await self._waiting_since(connection, last, head, accesses)
            metrics.SEALED_POSITION.set(last.size)
            metrics.UNSEALED_EVENTS.set(head - last.size)
            self._set_unsealed(0.0 if is_sealed else since)
            if head - last.size >= self._every_events:
                last = await self._seal(connection, last, frontier, last.size + self._every_events, accesses)
            elif not is_sealed and (
                time.time() - since >= self._every_seconds
                or await (await connection.execute(_AWAITING, (last.size,))).fetchone()
            ):
                last = await self._seal(connection, last, frontier, head, accesses)
            else:
                await asyncio.sleep(POLL_SECONDS)

    async def _require_unchanged(self, connection: AsyncConnection, last: Checkpoint) -> None:
        """Raise SealsDoNotFit unless every copy still has the last checkpoint, and no later one."""
        size, note = await asyncio.to_thread(lambda: (self._seals.newest(), self._seals.note(last.size)))
        if (size, note) != (last.size, self._note):
            raise SealsDoNotFit(f"the checkpoint of position {last.size} was removed or changed: {REMEDY}")
        if await last_note(connection) != self._note:
            raise SealsDoNotFit(f"the database's last checkpoint is not of position {last.size}: {REMEDY}")
        for watch in self._watches:
            if watch.refused is not None:
                raise SealsDoNotFit(watch.refused)

    async def _waiting_since(
        self, connection: AsyncConnection, last: Checkpoint, head: int, accesses: AccessHead
    ) -> float:
        """Return when the oldest event or access after a checkpoint began to wait, in seconds since 1970.

        The recorded time counts even if no sealer ran then. It is limited to the time between the checkpoint
        and this process's first observation, because a recorded time may be wrong.
        """
        known = time.time() - max(
            self._events.seconds(position=last.size, head=head),
            self._accesses.seconds(position=last.accesses.number, head=accesses.number),
        )
        cursor = await connection.execute(_WAITING, (last.size + 1, last.accesses.number))
        # Sealing reports a missing event.
        recorded = min((float(moment) for (moment,) in await cursor.fetchall()), default=known)
        signed = last.moment.timestamp() if last.moment and last.size else recorded
        return min(known, max(recorded, signed))

    async def _resume(self, connection: AsyncConnection, origin: str) -> tuple[Checkpoint, Frontier]:
        """Return the last checkpoint, on which all copies agree, and the tree up to it.

        Hashes that a crash kept from the disk are added. The first checkpoint of a new log is an empty one.
        """
        checkpoint = await asyncio.to_thread(self._seals.latest, self._key.verifying_key)
        frontier, missing = await self._sealed(connection, origin, checkpoint)
        last = await agreed(connection, self._seals, self._key.verifying_key)
        if self._last is not None and (
            last is None or not accounts_for(self._seals, self._key.verifying_key, last, self._last)
        ):
            raise SealsDoNotFit(f"no copy has the checkpoint of position {self._last.size}: {REMEDY}")
        if last is None:
            await require_going(connection)
            first = Checkpoint(origin, 0, frontier.root, 0, streams=self._streams.root)
            return await self._sign(connection, first, []), frontier
        if not await has_access(connection, last.accesses):
            raise SealsDoNotFit(f"access {last.accesses.number} does not match its seal: {REMEDY}")
        self._record(last, self._seals.note(last.size))
        await self._check_witnesses()
        if missing:
            await asyncio.to_thread(self._seals.append, missing)
            logger.warning("seals_restored", position=last.size, events=len(missing))
        await add_missing_blocks(connection, self._seals, last.size)
        return last, frontier

    async def _sealed(
        self, connection: AsyncConnection, origin: str, checkpoint: Checkpoint | None
    ) -> tuple[Frontier, list[bytes]]:
        """Return the tree up to a checkpoint, and the hashes that the folder lacks."""
        size = checkpoint.size if checkpoint else 0
        if self._seals.hash_bytes > size * HASH_BYTES:
            raise SealsDoNotFit(f"the checkpoint of the hashes after position {size} is missing")
        frontier, self._streams = Frontier(), StreamTree()
        if checkpoint is None:
            return frontier, []
        if (head := await read_head(connection)) < size:
            await stop(connection, f"the log ends at {head}, and was sealed up to {size}")
        last = b""
        hashes = self._seals.hashes(up_to=size)
        while stretch := list(islice(hashes, _HASHES_AT_ONCE)):
            await asyncio.to_thread(frontier.extend, stretch)
            last = stretch[-1]
            await connection.execute("SELECT")  # the server ends a silent session
        # A log that was restored and has grown again has another event at this position.
        found = [
            hash_ async for hash_ in hashes_between(connection, after=frontier.size - 1, up_to=frontier.size)
        ]
        if frontier.size and found not in ([], [last]):
            await stop(connection, f"the event at position {frontier.size} is not the one that was sealed")
        missing = [hash_ async for hash_ in hashes_between(connection, after=frontier.size, up_to=size)]
        frontier.extend(missing)
        if not may_be_of(checkpoint, origin, await former_origins(connection)):
            raise SealsDoNotFit("the last checkpoint is another log's")
        await add_heads(connection, self._streams, after=0, up_to=size)
        if (checkpoint.size, checkpoint.root) != (frontier.size, frontier.root) or (
            checkpoint.streams not in (b"", self._streams.root)
        ):
            raise SealsDoNotFit("the log or the hashes were changed")
        return frontier, missing

    async def _check_witnesses(self) -> None:
        checks = [asyncio.create_task(watch.check(self._note)) for watch in self._watches]
        if checks:
            await asyncio.wait(checks, timeout=_WITNESS_SECONDS)
        for task in checks:
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
        for start in range(0, len(hashes), HASHED_AT_ONCE):
            frontier.extend(hashes[start : start + HASHED_AT_ONCE])
            await asyncio.sleep(0)
        if frontier.size != up_to:
            raise SealsDoNotFit(f"the event at position {frontier.size + 1} is missing")
        await add_heads(connection, self._streams, after=last.size, up_to=up_to)
        checkpoint = replace(last, streams=self._streams.root, accesses=accesses)
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
        """Sign a checkpoint, and store it in the folder, then in the database; `agreed` repairs a crash."""
        signed = signed_now(checkpoint, after=self._last)
        note = await asyncio.to_thread(self._seals.seal, hashes, signed, self._key)
        blocks = range((signed.size - len(hashes)) // BLOCK, signed.size // BLOCK)
        await add_sealed(connection, self._seals, signed.size, note, blocks=blocks)
        self._record(signed, note)
        return signed

    def _lead(self, *, leads: bool) -> None:
        self._leads = leads
        metrics.SEALING.set(leads)

    def _set_unsealed(self, since: float) -> None:
        self._unsealed_since = since
        metrics.UNSEALED_SINCE.set(since)

    def _record(self, last: Checkpoint, note: str) -> None:
        self._last, self._note = last, note
        if last.moment is not None:
            metrics.SEALED_MOMENT.set(last.moment.timestamp())


def signed_now(checkpoint: Checkpoint, *, after: Checkpoint | None) -> Checkpoint:
    """Return a checkpoint with the time of signing, which is never before the previous checkpoint's."""
    now = datetime.now(UTC).replace(microsecond=0)
    return replace(checkpoint, moment=max(now, after.moment) if after and after.moment else now)
