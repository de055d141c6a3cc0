"""Running projectors, and waiting for their effects."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import psycopg
from psycopg import AsyncConnection

from ops.base.process.tasks import running
from ops.testing.conditions import PATIENCE_SECONDS, wait_until
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.engine.batch import Target, apply
from projections.engine.projection import Projection
from projections.event_log import ConnectionSession, read_batch
from projections.progress import positions
from projections.progress.positions import PositionTaken
from projections.rebuild.rebuild import RebuildResult, rebuild
from projections.workers.lease import Lease
from projections.workers.projector import POLL_SECONDS, Projector
from read_model.lock_keys import NAMESPACE, lead_key
from read_model.tables import ReadTable


@asynccontextmanager
async def at_work(
    database: Database, *projections: Projection, poll_seconds: float = POLL_SECONDS
) -> AsyncIterator[list[Lease]]:
    """Run a projector while the context lasts, and yield its leases."""
    projector = Projector(projections, database.projections, poll_seconds=poll_seconds)
    async with running(projector.run):
        yield projector.leases


async def catch_up(connection: AsyncConnection, *, max_events: int = 500) -> None:
    """Apply all events of the log to every projection."""
    for projection in PROJECTIONS.values():
        await positions.prepare(connection, projection.table)
        while await apply_next(connection, projection, max_events=max_events):
            pass


async def apply_next(connection: AsyncConnection, projection: Projection, *, max_events: int = 500) -> int:
    """Apply the next events to a projection, and return their number.

    Raises:
        PositionTaken: another process moves the projection.
    """
    session = ConnectionSession(connection)
    place = await positions.read_place(connection, projection.table)
    batch = await read_batch(session, after=place.position, max_events=max_events)
    if not batch:
        return 0
    reached = await apply(session, [Target(projection, place)], batch)
    if reached == place.position:
        raise PositionTaken
    return reached - place.position


async def rebuild_equal(database: Database, name: str) -> RebuildResult:
    """Rebuild a projection's table, which must not differ from the log."""
    rebuilt = await rebuild(database.projections, PROJECTIONS[name])
    assert rebuilt.differences is not None
    assert rebuilt.differences.count == 0, rebuilt.differences
    return rebuilt


async def eventually(condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Wait until a condition holds; return the seconds it took."""
    return await wait_until(condition, seconds=seconds)


def leader_of(connection: psycopg.Connection, table: ReadTable) -> int | None:
    """Return the server process that holds a projection's lease."""
    row = connection.execute(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
        " AND (classid::bigint, objid::bigint) = (%s, %s)"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        (NAMESPACE, lead_key(table)),
    ).fetchone()
    return row[0] if row else None
