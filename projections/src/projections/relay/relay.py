"""The relay's main loop: publishes revisions when it is notified, or polls."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import Final, Never, TypeVar

import structlog
from kafka.errors import KafkaError
from opentelemetry.trace import Span, SpanKind
from psycopg import AsyncConnection, sql

from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from ops.base.records.entities import ACTOR
from projections.event_log import read_head, read_log_id, require_going, stop
from projections.leadership.leader import Leader
from projections.progress.positions import require_this_version
from projections.relay import metrics, positions
from projections.relay.positions import PositionMoved
from projections.relay.publisher import Publisher
from projections.relay.records import (
    KafkaRecord,
    PublicRevision,
    read_revisions,
    read_revisions_head,
    records_of,
)
from projections.relay.settings import KafkaSettings
from projections.relay.tails import remaining
from projections.relay.thread import begin_in_thread
from read_model.lock_keys import RELAY_KEY
from read_model.public_events.envelope import Origin
from read_model.tables import PROJECTED_CHANNEL, REVISIONS
from read_model.tables.notification import ProjectionNotification

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""Delay of an event whose notification was lost; also the interval of keep-alive statements."""
BROKER_SECONDS: Final = 60.0
"""Time limit of a broker's acknowledgement, or of a new connection."""

_Result = TypeVar("_Result")


class Relay(Leader):
    """Publishes the revisions to one Kafka cluster.

    Args:
        dsn: where to connect, with the relay's rights.
        address: the product's public address, for the events' schemas.
    """

    def __init__(self, dsn: str, settings: KafkaSettings, address: str) -> None:
        super().__init__("relay", dsn, logger, metrics.LEADING, metrics.FAILURES.labels)
        self.cluster: str | None = None
        """The cluster's id; None before the first connection."""
        self._settings = settings
        self._address = address
        self._waiting_since: float | None = None

    @property
    def waited_seconds(self) -> float:
        """The duration of the current wait for the broker; 0 if there is none."""
        return 0.0 if self._waiting_since is None else time.monotonic() - self._waiting_since

    async def _work(self, connection: AsyncConnection) -> Never:
        await self._wait_for(connection, RELAY_KEY)
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(PROJECTED_CHANNEL)))
        while True:
            await require_going(connection)
            # Rows of another release may contain values that this release masks.
            await require_this_version(connection, REVISIONS)
            # Read each time, because an operator may have given the log a new id.
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
        await _until_complete(connection, kept, publisher)
        tails = {} if kept.rewound_from else publisher.tails
        position, last = kept.position, max(tails.values(), default=0)
        logger.info("relay_leads", cluster=publisher.cluster, position=position, topics_hold=last)
        revisions: Sequence[PublicRevision] = await read_revisions(connection, after=position)
        while True:
            while not revisions:
                self._set_role("leading")
                await require_going(connection)
                if (await positions.begin(connection, publisher.cluster)).position != position:
                    raise PositionMoved
                await _wait_for_revisions(connection)
                revisions = await read_revisions(connection, after=position)
            records = _records(revisions, origin)
            if position < last:
                held = len(records)
                records = remaining(records, tails, publisher.partitions)
                metrics.SKIPPED.inc(held - len(records))
            reached = revisions[-1].position
            with _span(revisions):
                publishing = begin_in_thread(partial(publisher.publish, records))
                following = await read_revisions(connection, after=reached)  # while Kafka works
                await self._answer(connection, publishing)
                failpoint("relay.acknowledged")
                await positions.advance(connection, publisher.cluster, after=position, to=reached)
                failpoint("relay.committed")
            metrics.EVENTS.inc(len(revisions))
            metrics.ACKNOWLEDGED.set_to_current_time()
            self._set_role("leading")
            position, revisions = reached, following

    async def _answer(self, connection: AsyncConnection, work: "asyncio.Future[_Result]") -> _Result:
        """Wait for the broker, and keep the database session alive; raise TimeoutError after a minute."""
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
            # The messages are about connections and settings, and quote no record.
            return "broker_lost", f"Kafka at {self._settings.servers}: {error or type(error).__name__}"
        return super()._lost(error)


async def _until_complete(
    connection: AsyncConnection, kept: positions.RelayPosition, publisher: Publisher
) -> None:
    """Return when the table of revisions contains everything that was published.

    A crash of the database loses the last commits of projections, but none of the log; their worker repeats
    them.

    Raises:
        LogStopped: the log is shorter, so the database was probably restored; the log is stopped now.
    """
    published = max([kept.position, *publisher.tails.values()])
    head = await read_head(connection)
    if published > head:
        await stop(connection, f"the log ends at {head}, and position {published} was published to Kafka")
    while await read_revisions_head(connection) < published:
        await require_going(connection)
        await _wait_for_revisions(connection)


async def _wait_for_revisions(connection: AsyncConnection) -> None:
    """Return when revisions have been written, or after a while."""
    until = time.monotonic() + POLL_SECONDS
    while (seconds := until - time.monotonic()) > 0:
        # The generator must be exhausted: leaving it early would keep the connection busy.
        received = [
            ProjectionNotification.parse(notification.payload)
            async for notification in connection.notifies(timeout=seconds, stop_after=1)
        ]
        if any(one is not None and REVISIONS.name in one.projections for one in received):
            return


def _span(revisions: Sequence[PublicRevision]) -> AbstractContextManager[Span]:
    """Return a span of publishing revisions, linked to the requests that caused them."""
    return tracing.span(
        "publish",
        kind=SpanKind.PRODUCER,
        linked=(revision.traceparent for revision in revisions),
        attributes={
            "fleetlog.first_position": revisions[0].position,
            "fleetlog.last_position": revisions[-1].position,
        },
    )


def _records(revisions: Sequence[PublicRevision], origin: Origin) -> list[KafkaRecord]:
    records: list[KafkaRecord] = []
    for revision in revisions:
        of_revision = records_of(revision, origin)
        records += of_revision
        if not of_revision and revision.event.entity != ACTOR.name:  # events about users are not public
            metrics.UNKNOWN.inc()
            logger.warning("event_without_topic", position=revision.position)
    return records


def _close_late(connecting: "asyncio.Future[Publisher]") -> None:
    if not connecting.cancelled() and connecting.exception() is None:
        begin_in_thread(connecting.result().close)
