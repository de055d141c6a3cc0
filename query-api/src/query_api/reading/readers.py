"""What the query API reads with: each by statements of its own, over connections that are shared."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from starlette.requests import Request

from ops.base.database.connection import BoundedConnection
from ops.base.database.pools import Pool, listen, open_pool
from ops.base.encryption.actors import ACTORS
from ops.base.process.tasks import running
from projections.tables import PROJECTED_CHANNEL
from projections.tables.projected import Projected
from query_api.audit.accesses import AccessLog
from query_api.audit.timeline import Timeline
from query_api.feed.reading import Reader
from query_api.freshness.notified import LEASE_SECONDS, LOOK_SECONDS, Notified, TablePosition
from query_api.freshness.waiting import Freshness, Projections
from query_api.history.past_lists import PastLists
from query_api.reading.lists import Lists
from query_api.reading.records import Records
from query_api.reading.replica import POLL_SECONDS, Replica
from query_api.reading.source import Source
from query_api.system.reading import Operations, StoredOperations

POOL_SIZE = 8

# Pages, past lists and searches of the timeline take long: few at a time, so that what is quick stays so.
SEARCH_POOL_SIZE = 2
SEARCH_WAIT_SECONDS = 8.0
SEARCH_MOST_WAITING = 64
# There are no statistics of what is searched, for they would hold personal data: so PostgreSQL expects
# too much to be found for several processors to look for it.
SEARCH_SETTINGS = {"parallel_tuple_cost": "0.01"}

_STANDINGS: Final = """
SELECT log_id, projection, position, version, generation
FROM log.identity LEFT JOIN read.positions ON true
"""


@dataclass(frozen=True)
class Readers:
    """All that answers are read with."""

    projections: Projections
    """As they are where they write, whatever is read from a replica."""
    lists: Lists
    records: Records
    past_lists: PastLists
    primary: Source
    source: Source
    """A replica while it is fit, otherwise the primary."""
    searched: Source
    """For statements that take long, on the primary."""
    timeline: Timeline
    accesses: AccessLog
    events: Reader
    operations: Operations
    notified: Notified = field(default_factory=Notified)
    """Told of the projections' commits."""
    replica: Replica | None = None

    def freshness(self) -> Freshness:
        """Return what waits until a projection has reached what a client has written."""
        if self.replica is None:
            return Freshness(self.projections.progress, self.notified)
        return Freshness(self.replica.progress, self.notified, poll_seconds=POLL_SECONDS)


def readers_of(request: Request) -> Readers:
    """Return what the application reads with."""
    readers: Readers = request.app.state.readers
    return readers


@asynccontextmanager
async def open_readers(dsn: str, *, address: str, replica: str | None = None) -> AsyncIterator[Readers]:
    """Open them for the time of a context.

    Args:
        dsn: the database.
        address: the product's public address.
        replica: DSN of a replica to read lists, records and histories from.
    """
    async with (
        open_pool(dsn, size=POOL_SIZE) as pool,
        _search_pool(dsn, "primary") as search_pool,
        AsyncExitStack() as opened,
    ):
        source: Source = pool
        paged: Source = search_pool
        beside: Replica | None = None
        if replica is not None:
            replica_pool = await opened.enter_async_context(
                open_pool(replica, size=POOL_SIZE, server="replica")
            )
            search_beside = await opened.enter_async_context(_search_pool(replica, "replica"))
            source = beside = Replica(pool, replica_pool)
            paged = beside.over(search_pool, search_beside)
        readers = Readers(
            projections=Projections(pool),
            lists=Lists(source, paged, search_pool),
            records=Records(source),
            past_lists=PastLists(paged),
            primary=pool,
            source=source,
            searched=search_pool,
            timeline=Timeline(search_pool),
            accesses=AccessLog(pool),
            events=Reader(pool, address),
            operations=StoredOperations(pool),
            # Notifications come from the primary: where they tell of something, the replica may not have it.
            notified=Notified(lease_seconds=LEASE_SECONDS if beside is None else 0),
            replica=beside,
        )
        work = [] if beside is None else [beside.run]
        async with ACTORS.use(pool), running(*work, partial(_hear, dsn, readers.notified)):
            yield readers


async def _hear(dsn: str, notified: Notified) -> None:
    def notify(payload: str) -> None:
        notified.notify(payload)
        told = Projected.parse(payload)
        if told is None or told.streams is None:
            ACTORS.expire()

    async def look(connection: BoundedConnection) -> Callable[[], None]:
        answered = notified.look()
        rows = await (await connection.execute(_STANDINGS)).fetchall()
        return lambda: answered(map(TablePosition._make, rows))

    await listen(
        dsn,
        PROJECTED_CHANNEL,
        notify,
        on_lost=notified.forget,
        look=look,
        heartbeat_seconds=LOOK_SECONDS,
    )


def _search_pool(dsn: str, server: str) -> AbstractAsyncContextManager[Pool]:
    return open_pool(
        dsn,
        size=SEARCH_POOL_SIZE,
        wait_seconds=SEARCH_WAIT_SECONDS,
        most_waiting=SEARCH_MOST_WAITING,
        settings=SEARCH_SETTINGS,
        server=f"{server}-search",
    )
