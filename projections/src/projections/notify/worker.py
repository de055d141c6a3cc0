"""The leading worker: runs a task for each subscription, which delays no other."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, Never
from uuid import UUID

import psycopg
import structlog
from psycopg import AsyncConnection, sql
from psycopg.rows import args_row
from psycopg_pool import PoolTimeout

from command_api.domain.events import DeliveryResumed, EventActor
from ops.base.database.pools import Pool
from ops.base.process.tasks import AGAIN_SECONDS, running, supervised
from projections.event_log import require_going
from projections.leadership.leader import Leader
from projections.notify import cursors, deliveries, history, metrics
from projections.notify.channel import POLL_SECONDS, Channel, ChannelFactory, Context, Request
from projections.notify.clock import Clock, system_clock
from projections.notify.subscriptions import TABLE, Subscription, read_subscriptions
from projections.progress.positions import require_this_version
from read_model.lock_keys import NOTIFY_KEY
from read_model.public_events.envelope import Origin
from read_model.tables import PROJECTED_CHANNEL, READ_TABLES, REVISIONS

logger = structlog.get_logger()

REQUESTS_CHANNEL: Final = "fleetlog_notify"
"""Notified by `notify.request`."""
_PAUSE_SECONDS: Final = 0.1
"""Minimum time between two polls, however many notifications arrive."""
_BUSY_POLL_SECONDS: Final = 0.2
"""Instead of `POLL_SECONDS` while deliveries begin, which wait for `Context.read_at`."""
_POOL_SIZE: Final = 4
_POOL_WAIT_SECONDS: Final = 10.0
"""Many tasks share the connections, and none is urgent."""

_TABLES: Final = tuple(one for name in (TABLE, REVISIONS.name) for one in READ_TABLES if one.name == name)
_STATE: Final = f"""
SELECT log_id, stopped IS NULL AND (
    SELECT bool_and(position = 0 OR (projection, version) IN (('{TABLE}', %s), ('{REVISIONS.name}', %s)))
    FROM read.positions WHERE projection IN ('{TABLE}', '{REVISIONS.name}')
  ) IS NOT FALSE,
  coalesce((SELECT position FROM read.positions WHERE projection = '{REVISIONS.name}'), 0),
  (SELECT (changed_position, generation)::text FROM read.positions WHERE projection = '{TABLE}')
FROM log.head
"""  # noqa: S608 - constants of this project
_REQUESTS: Final = """
SELECT id, subscription_id, kind, delivery, after, actor
FROM notify.requests WHERE NOT is_done ORDER BY asked_at
"""
_DONE: Final = "UPDATE notify.requests SET is_done = true WHERE id = %s"


class Notifier(Leader):
    """Delivers to the targets of all subscriptions.

    Args:
        dsn: where to connect, with the notifier's rights.
        address: the product's public address, for the events' schemas and for links.
        channels: by the name in a subscription's record.
    """

    def __init__(
        self, dsn: str, address: str, channels: Mapping[str, ChannelFactory], clock: Clock = system_clock
    ) -> None:
        super().__init__("notify", dsn, logger, metrics.LEADING, metrics.FAILURES.labels)
        self.context: Context | None = None
        """Of this leadership; None while another process leads."""
        self._address = address
        self._channels = channels
        self._clock = clock

    async def _work(self, connection: AsyncConnection) -> Never:
        await self._wait_for(connection, NOTIFY_KEY)
        for channel in (PROJECTED_CHANNEL, REQUESTS_CHANNEL):
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        try:
            while True:
                origin = Origin((await _read_state(connection)).log_id, self._address)
                pool = Pool(self._dsn, size=_POOL_SIZE, wait_seconds=_POOL_WAIT_SECONDS)
                self.context = context = Context(pool, self._clock, origin)
                work = (context.writer.run, partial(deliveries.keep_pruning, pool))
                async with pool, running(*work), _Tasks(self._channels, context) as tasks:
                    await self._follow(connection, tasks)
        finally:
            self.context = None

    async def _follow(self, connection: AsyncConnection, tasks: "_Tasks") -> None:
        """Follow the database; return when an operator has given the log another id."""
        seen: str | None = ""
        context, began = tasks.context, time.monotonic()
        while (state := await _read_state(connection)).log_id == context.origin.log_id:
            context.head = state.head
            if state.subscriptions != seen:
                await tasks.update(await read_subscriptions(connection))
                seen = state.subscriptions
            context.read_at, context.is_delivering = began, False
            async with connection.cursor(row_factory=args_row(Request)) as cursor:
                tasks.execute(await (await cursor.execute(_REQUESTS)).fetchall())
            self._set_role("leading")
            context.wake()
            await asyncio.sleep(_PAUSE_SECONDS)
            timeout = _BUSY_POLL_SECONDS if context.is_delivering else POLL_SECONDS
            async for _ in connection.notifies(timeout=timeout, stop_after=1):
                pass
            began = time.monotonic()


class _State(NamedTuple):
    """What the leader polls."""

    log_id: str
    is_usable: bool
    """Whether the log is in service, and this release has filled the read tables."""
    head: int
    subscriptions: str | None
    """Changes with the subscriptions."""


async def _read_state(connection: AsyncConnection) -> _State:
    """Read the state; raise ProjectionStopped if nothing may be delivered."""
    cursor = await connection.execute(_STATE, [table.version for table in _TABLES])
    (row,) = await cursor.fetchall()
    state = _State(*row)
    if not state.is_usable:
        await require_going(connection)
        for table in _TABLES:  # rows of another release may contain values that this release masks
            await require_this_version(connection, table)
    return state


class _Tasks:
    """The tasks of all subscriptions and requests; they end with the context."""

    def __init__(self, factories: Mapping[str, ChannelFactory], context: Context) -> None:
        self.context = context
        self._factories = factories
        self._channels: dict[str, tuple[Subscription, Channel, asyncio.Task[Any] | None]] = {}
        self._requests: dict[UUID, asyncio.Task[Any]] = {}

    async def __aenter__(self) -> "_Tasks":
        return self

    async def __aexit__(self, *_: object) -> None:
        await _end(*self._requests.values())
        await self._stop(*self._channels)
        with suppress(psycopg.Error, PoolTimeout):  # the next leader repeats what cannot be written
            await self.context.writer.flush()

    async def update(self, subscriptions: Mapping[str, Subscription]) -> None:
        """Start, restart and end tasks, so that each active subscription has one."""
        await self._stop(
            *(one for one, (known, *_) in self._channels.items() if subscriptions.get(one) != known)
        )
        for one, subscription in subscriptions.items():
            factory = self._factories.get(subscription.channel)
            if one not in self._channels and factory is not None:
                channel = factory(subscription, self.context)
                task = asyncio.create_task(supervised(channel.run)) if subscription.is_active else None
                self._channels[one] = (subscription, channel, task)

    def execute(self, requests: list[Request]) -> None:
        """Start the requests that are not executed yet."""
        self._requests = {one: task for one, task in self._requests.items() if not task.done()}
        for request in requests:
            if request.id not in self._requests:
                self._requests[request.id] = asyncio.create_task(self._execute(request))

    async def _stop(self, *subscription_ids: str) -> None:
        stopped = [self._channels.pop(one) for one in subscription_ids]
        await _end(*(task for *_, task in stopped if task is not None))
        for _, channel, _ in stopped:
            await channel.close()

    async def _execute(self, request: Request) -> None:
        try:
            subscription, channel, _ = self._channels.get(request.subscription_id, (None, None, None))
            moves = request.kind in ("replay", "resume")
            if channel is not None and not moves:
                await channel.execute(request)
            await self.context.writer.flush()
            async with self.context.pool.connection() as connection, connection.transaction():
                if moves:
                    await _move(connection, request, subscription)
                await connection.execute(_DONE, (request.id,))
            self.context.moves += moves
            self.context.wake()
        except Exception as error:  # noqa: BLE001 - the request stays, and the next poll repeats it
            logger.warning("notify_request_failed", kind=request.kind, error=type(error).__name__)


async def _move(connection: AsyncConnection, request: Request, subscription: Subscription | None) -> None:
    before = await cursors.begin(connection, request.subscription_id)
    position = await cursors.move(connection, request.subscription_id, to=request.after)
    if before.given_up_at is not None and subscription is not None:
        actor = EventActor(**request.actor)
        await history.append(connection, subscription, DeliveryResumed, position, actor=actor)


async def _end(*tasks: "asyncio.Task[Any]") -> None:
    waiting = set(tasks)
    while waiting:
        for task in waiting:
            task.cancel()
        # See `ops.base.process.tasks.running`.
        waiting = (await asyncio.wait(waiting, timeout=AGAIN_SECONDS))[1]
