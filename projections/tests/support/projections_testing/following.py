"""Followers at work in a test, and waiting for what they do."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import psycopg
from psycopg import AsyncConnection

from ops.base.process.tasks import running
from ops.testing.postgres import Database
from ops.testing.waiting import PATIENCE_SECONDS, wait_until
from projections.applying.projection import Projection
from projections.applying.step import apply_events
from projections.catalogue import PROJECTIONS
from projections.leading.locks import NAMESPACE, lead_key
from projections.leading.sharing import Share
from projections.progress import positions
from projections.reading.log import read_batch
from projections.reading.tail import POLL_SECONDS, Tail
from projections.tables import ReadTable
from projections.worker.convoy import Convoy
from projections.worker.follower import Follower


@asynccontextmanager
async def at_work(*followers: Follower) -> AsyncIterator[None]:
    """Run followers for as long as the context lasts."""
    convoys = {follower.convoy for follower in followers}
    async with running(*(one.run for one in followers), *(convoy.run for convoy in convoys)):
        yield


def follower_of(
    projection: Projection, database: Database, *, poll_seconds: float = POLL_SECONDS
) -> Follower:
    """Return a follower that rides alone."""
    return followers_of([projection], database, poll_seconds=poll_seconds)[0]


def followers_of(
    projections: Sequence[Projection], database: Database, *, poll_seconds: float = POLL_SECONDS
) -> list[Follower]:
    """Return the followers of one worker, which ride together."""
    dsn = database.projections
    convoy = Convoy(dsn, Tail(dsn, poll_seconds=poll_seconds))
    share = Share([projection.table for projection in projections])
    return [Follower(projection, dsn, convoy, share) for projection in projections]


async def catch_up(connection: AsyncConnection, *, max_events: int = 500) -> None:
    """Let every projection handle what the log holds, once."""
    for projection in PROJECTIONS.values():
        await positions.prepare(connection, projection.table)
        while await apply_next(connection, projection, max_events=max_events):
            pass


async def apply_next(connection: AsyncConnection, projection: Projection, *, max_events: int = 500) -> int:
    """Let a projection handle the next events, from wherever it is; returns how many they were."""
    position = await positions.read(connection, projection.table)
    batch = await read_batch(connection, after=position, max_events=max_events)
    return await apply_events(connection, projection, batch) - position if batch else 0


async def eventually(condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Wait until a condition holds; returns after how many seconds it did."""
    return await wait_until(condition, seconds=seconds)


def leader_of(connection: psycopg.Connection, table: ReadTable) -> int | None:
    """Return the server process that holds a projection's lock."""
    row = connection.execute(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
        " AND (classid::bigint, objid::bigint) = (%s, %s)"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        (NAMESPACE, lead_key(table)),
    ).fetchone()
    return row[0] if row else None
