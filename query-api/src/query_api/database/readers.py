"""The readers of the query API, over shared connections."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from starlette.requests import Request

from ops.base.database.connection import BoundedConnection
from ops.base.database.pools import Pool, listen
from ops.base.encryption.actors import ACTORS
from ops.base.process.tasks import running
from query_api.access_log.reveals import RevealLog
from query_api.audit.timeline import Timeline
from query_api.database.lists import Lists, Records
from query_api.database.replica import POLL_SECONDS as REPLICA_POLL_SECONDS
from query_api.database.replica import Replica
from query_api.database.source import Source
from query_api.feed.reader import EventReader
from query_api.freshness.notifications import LEASE_SECONDS, POLL_SECONDS, Notifications, PolledPosition
from query_api.freshness.read_your_writes import POLL_SECONDS as FRESHNESS_POLL_SECONDS
from query_api.freshness.read_your_writes import Freshness, Projections
from query_api.history.past_lists import PastLists
from read_model.tables import PROJECTED_CHANNEL, READ_TABLES
from read_model.tables.notification import ProjectionNotification

POOL_SIZE = 8

# Pages, past lists and audit searches take long: few run at a time, so that quick queries stay quick.
SEARCH_POOL_SIZE = 2
SEARCH_WAIT_SECONDS = 8.0
SEARCH_MOST_WAITING = 64
# Search terms have no statistics, which would contain personal data. So PostgreSQL overestimates the number
# of rows and would not use parallel plans.
SEARCH_SETTINGS = {"parallel_tuple_cost": "0.01"}

_PROGRESS: Final = """
SELECT log_id, projection, position, version, generation
FROM log.identity LEFT JOIN read.positions ON true
"""


# The projections that have a row: others have never run.
_IS_CAUGHT_UP: Final = """
SELECT NOT EXISTS (SELECT FROM read.positions WHERE projection = ANY (%s::text[]) AND position < %s)
"""
CATCH_UP_SECONDS: Final = 5.0
"""Longest wait of a new connection for the projections."""
_TABLES: Final = [table.name for table in READ_TABLES]


@dataclass(frozen=True)
class Readers:
    """The readers of an application."""

    projections: Projections
    """Always on the primary."""
    lists: Lists
    records: Records
    past_lists: PastLists
    primary: Source
    source: Source
    """The replica while it is usable, otherwise the primary."""
    searched: Source
    """The primary, for statements that take long."""
    timeline: Timeline
    reveals: RevealLog
    events: EventReader
    notifications: Notifications = field(default_factory=Notifications)
    replica: Replica | None = None

    def freshness(self) -> Freshness:
        """Return the service that waits for clients' writes."""
        if self.replica is None:
            return Freshness(self.projections.progress, self.notifications)
        return Freshness(self.replica.progress, self.notifications, poll_seconds=REPLICA_POLL_SECONDS)


def readers_of(request: Request) -> Readers:
    """Return the application's readers."""
    readers: Readers = request.app.state.readers
    return readers


@asynccontextmanager
async def open_readers(dsn: str, *, address: str, replica: str | None = None) -> AsyncIterator[Readers]:
    """Open the readers for the time of a context.

    Args:
        replica: DSN of a replica to read lists, records and histories from.
    """
    async with (
        Pool(dsn, size=POOL_SIZE, on_reconnect=_until_caught_up) as pool,
        _search_pool(dsn, "primary") as search_pool,
        AsyncExitStack() as opened,
    ):
        source: Source = pool
        paged: Source = search_pool
        pair: Replica | None = None
        if replica is not None:
            replica_pool = await opened.enter_async_context(Pool(replica, size=POOL_SIZE, server="replica"))
            replica_search_pool = await opened.enter_async_context(_search_pool(replica, "replica"))
            source = pair = Replica(pool, replica_pool)
            paged = pair.over(search_pool, replica_search_pool)
        readers = Readers(
            projections=Projections(pool),
            lists=Lists(source, paged, search_pool),
            records=Records(source),
            past_lists=PastLists(paged),
            primary=pool,
            source=source,
            searched=search_pool,
            timeline=Timeline(search_pool),
            reveals=RevealLog(pool),
            events=EventReader(pool, address),
            # The primary notifies of commits that the replica may not have yet.
            notifications=Notifications(lease_seconds=LEASE_SECONDS if pair is None else 0),
            replica=pair,
        )
        work = [] if pair is None else [pair.run]
        async with ACTORS.use(pool), running(*work, partial(_listen, dsn, readers.notifications)):
            yield readers


async def _listen(dsn: str, notifications: Notifications) -> None:
    def notify(payload: str) -> None:
        notifications.notify(payload)
        commit = ProjectionNotification.parse(payload)
        if commit is None or commit.streams is None:
            ACTORS.expire()

    async def poll(connection: BoundedConnection) -> Callable[[], None]:
        finish = notifications.begin_poll()
        rows = await (await connection.execute(_PROGRESS)).fetchall()
        return lambda: finish(map(PolledPosition._make, rows))

    await listen(
        dsn,
        PROJECTED_CHANNEL,
        notify,
        on_lost=notifications.discard,
        look=poll,
        heartbeat_seconds=POLL_SECONDS,
    )


def _search_pool(dsn: str, server: str) -> Pool:
    return Pool(
        dsn,
        size=SEARCH_POOL_SIZE,
        wait_seconds=SEARCH_WAIT_SECONDS,
        most_waiting=SEARCH_MOST_WAITING,
        settings=SEARCH_SETTINGS,
        server=f"{server}-search",
        on_reconnect=_until_caught_up,
    )


async def _until_caught_up(connection: BoundedConnection) -> None:
    """Wait until the projections have reached the log's present head, but not for long.

    A crash of the database loses their last commits, which they then repeat. Meanwhile a query would show
    less than an earlier one has shown.
    """
    ((head,),) = await (await connection.execute("SELECT position FROM log.head")).fetchall()
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while time.monotonic() < deadline:
        cursor = await connection.execute(_IS_CAUGHT_UP, (_TABLES, head))
        if await cursor.fetchone() == (True,):
            return
        await asyncio.sleep(FRESHNESS_POLL_SECONDS)
