"""The relay at work: it is woken, or polls."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Never, TypeVar

import structlog
from kafka.errors import KafkaError
from prometheus_client import Counter
from psycopg import AsyncConnection, sql

from ops.base.process.failpoints import failpoint
from ops.base.records.entities import ACTOR
from projections.leases.leader import STANDBY_SECONDS, Leader
from projections.leases.locks import RELAY_KEY, try_to_lock
from projections.progress.positions import require_this_version
from projections.public_events.envelope import Origin
from projections.reading.log import read_head, read_log_id, require_going, stop
from projections.relay import metrics, positions
from projections.relay.positions import PositionMoved
from projections.relay.publisher import Publisher
from projections.relay.records import Record, is_known, records_of
from projections.relay.revisions import (
    RelayedRevision,
    read_revisions,
    read_revisions_head,
    tracing_of_relaying,
)
from projections.relay.settings import KafkaSettings
from projections.relay.tails import BeyondRevisions, remaining
from projections.relay.thread import begin_in_thread
from projections.tables import PROJECTED_CHANNEL, REVISIONS
from projections.tables.projected import Projected

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event; also how often the database hears of a busy relay."""
BROKER_SECONDS: Final = 60.0
"""A broker that has not acknowledged a batch, or answered a new connection, for so long is given up."""

_Result = TypeVar("_Result")


class Relay(Leader):
    """Publishes the revisions to one Kafka cluster."""

    def __init__(self, dsn: str, settings: KafkaSettings, address: str) -> None:
        """Describe the relay; `run` makes it work.

        Args:
            dsn: where to connect, with the relay's rights.
            settings: which Kafka.
            address: the product's public address, for the events' schemas.
        """
        super().__init__("relay", dsn, logger, metrics.LEADING)
        self.cluster: str | None = None
        """The cluster's id, once it is known."""
        self._settings = settings
        self._address = address
        self._waiting_since: float | None = None

    @property
    def waited_seconds(self) -> float:
        """For how long it has waited for the broker."""
        return 0.0 if self._waiting_since is None else time.monotonic() - self._waiting_since

    async def _work(self, connection: AsyncConnection) -> Never:
        while not await try_to_lock(connection, RELAY_KEY):
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(PROJECTED_CHANNEL)))
        while True:
            await require_going(connection)
            # What another release wrote may show what this one masks.
            await require_this_version(connection, REVISIONS)
            # Each time: an operator may have given the log another name.
            origin = Origin(await read_log_id(connection), self._address)
            try:
                async with self._publisher(connection, origin) as publisher:
                    await self._follow(connection, publisher, origin)
            except PositionMoved:
                logger.info("relay_position_moved")

    @asynccontextmanager
    async def _publisher(self, connection: AsyncConnection, origin: Origin) -> AsyncIterator[Publisher]:
        connecting = begin_in_thread(partial(Publisher, self._settings, origin.log_id))
        try:
            publisher = await self._answer(connection, connecting)
        except BaseException:
            connecting.add_done_callback(_close_late)
            raise
        try:
            yield publisher
        finally:
            await begin_in_thread(publisher.close)

    async def _follow(self, connection: AsyncConnection, publisher: Publisher, origin: Origin) -> Never:
        self.cluster = publisher.cluster
        kept = await positions.begin(connection, publisher.cluster)
        await _require_not_beyond(connection, kept, publisher)
        tails = {} if kept.rewound_from else publisher.tails
        position, last = kept.position, max(tails.values(), default=0)
        logger.info("relay_leads", cluster=publisher.cluster, position=position, topics_hold=last)
        revisions: Sequence[RelayedRevision] = await read_revisions(connection, after=position)
        while True:
            while not revisions:
                self._set_role("leading")
                await require_going(connection)
                await positions.require(connection, publisher.cluster, position)
                await _wait_for_revisions(connection)
                revisions = await read_revisions(connection, after=position)
            records = _records(revisions, origin)
            if position < last:
                held = len(records)
                records = remaining(records, tails, publisher.partitions)
                metrics.SKIPPED.inc(held - len(records))
            reached = revisions[-1].position
            with tracing_of_relaying(revisions):
                publishing = begin_in_thread(partial(publisher.publish, records))
                following = await read_revisions(connection, after=reached)  # meanwhile
                await self._answer(connection, publishing)
                failpoint("relay.acknowledged")
                await positions.advance(connection, publisher.cluster, after=position, to=reached)
                failpoint("relay.committed")
            metrics.EVENTS.inc(len(revisions))
            metrics.ACKNOWLEDGED.set_to_current_time()
            self._set_role("leading")
            position, revisions = reached, following

    async def _answer(self, connection: AsyncConnection, work: "asyncio.Future[_Result]") -> _Result:
        """Wait for the broker, while the database hears that this relay lives.

        Raises:
            TimeoutError: it took too long.
        """
        self._waiting_since = time.monotonic()
        try:
            async with asyncio.timeout(BROKER_SECONDS):
                while not (await asyncio.wait({work}, timeout=POLL_SECONDS))[0]:
                    await connection.execute("SELECT")
                return await work
        finally:
            self._waiting_since = None

    def _lost(self, error: Exception) -> tuple[str, str] | None:
        if isinstance(error, KafkaError | TimeoutError):
            # Its messages tell of connections and settings; they quote no record.
            return "broker_lost", f"Kafka at {self._settings.servers}: {error or type(error).__name__}"
        return super()._lost(error)

    def _failures(self, error: str) -> Counter:
        return metrics.FAILURES.labels(error)


async def _require_not_beyond(
    connection: AsyncConnection, kept: positions.RelayPosition, publisher: Publisher
) -> None:
    """See that nothing was published that this database does not know.

    Raises:
        LogStopped: the log itself is older than what was published; it is stopped now.
        BeyondRevisions: the table of revisions is.
    """
    published = max(publisher.tails.values(), default=0)
    head = await read_head(connection)
    if published > head:
        await stop(connection, f"the log ends at {head}, and position {published} was published to Kafka")
    head = await read_revisions_head(connection)
    if kept.position > head:
        raise BeyondRevisions("the relay's position is", kept.position, head)
    if published > head:
        raise BeyondRevisions("the topics hold position", published, head)


async def _wait_for_revisions(connection: AsyncConnection) -> None:
    """Return when revisions have been written, or after a while."""
    until = time.monotonic() + POLL_SECONDS
    while (seconds := until - time.monotonic()) > 0:
        # Not left early, which would keep the connection busy: it ends after all that came at once.
        reported = [
            Projected.parse(notification.payload)
            async for notification in connection.notifies(timeout=seconds, stop_after=1)
        ]
        if any(told is not None and REVISIONS.name in told.projections for told in reported):
            return


def _records(revisions: Sequence[RelayedRevision], origin: Origin) -> list[Record]:
    records: list[Record] = []
    for revision in revisions:
        if is_known(revision):
            records += records_of(revision, origin)
        elif revision.event.entity != ACTOR.name:  # what is decided about those is public to nobody
            metrics.UNKNOWN.inc()
            logger.warning("event_without_topic", position=revision.position)
    return records


def _close_late(connecting: "asyncio.Future[Publisher]") -> None:
    """Close a publisher that came when nobody waited for it any more."""
    if not connecting.cancelled() and connecting.exception() is None:
        begin_in_thread(connecting.result().close)
