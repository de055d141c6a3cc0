"""Every event counts exactly once, with concurrent workers and crashes at any point."""

import asyncio
import signal
from dataclasses import replace

import psycopg
import pytest
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of, register
from projections_testing.leases import apply_next, catch_up, eventually, rebuild_equal
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker, run
from psycopg import AsyncConnection

from ops.base.database.connection import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.progress import positions
from projections.progress.positions import PositionTaken
from read_model.tables import READ_TABLES, REVISIONS

PROJECTION = PROJECTIONS["revisions"]
"""Its primary key refuses an event that is applied twice."""


@pytest.fixture
async def _prepared(fleet: Fleet, connection: AsyncConnection) -> None:
    await positions.prepare(connection, REVISIONS)


def counted(fleet: Fleet) -> tuple[int, int]:
    """Return the number of revisions, and their position."""
    ((rows,),) = fleet.connection.execute("SELECT count(*) FROM read.revisions").fetchall()
    return rows, position_of(fleet.connection, REVISIONS.name)


@pytest.mark.usefixtures("_prepared")
async def test_two_leaders_apply_each_event_once(fleet: Fleet, database: Database) -> None:
    losses = 0

    async def work() -> None:
        nonlocal losses
        async with await connect(database.projections, autocommit=True) as connection:
            while (await positions.read_place(connection, REVISIONS)).position < 200:
                try:
                    await apply_next(connection, PROJECTION, max_events=3)
                except PositionTaken:
                    losses += 1

    register(fleet, 1, 200)
    await asyncio.gather(work(), work(), work())
    assert counted(fleet) == (200, 200)
    assert losses > 0  # else they never met, and this shows nothing


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("end", ["cancel", "terminate"])
async def test_interrupted_worker_rolls_the_batch_back(
    fleet: Fleet, database: Database, connection: AsyncConnection, end: str
) -> None:
    fleet.register("driver", "EMP-1")
    async with await connect(database.projections, autocommit=True) as doomed:
        with psycopg.connect(database.owner) as holder:
            holder.execute("LOCK TABLE read.revisions IN ACCESS EXCLUSIVE MODE")
            working = asyncio.create_task(apply_next(doomed, PROJECTION))
            await eventually(lambda: waits_for_revisions(fleet))
            if end == "cancel":
                working.cancel()
            else:
                fleet.connection.execute("SELECT pg_terminate_backend(%s)", (doomed.info.backend_pid,))
            with pytest.raises((asyncio.CancelledError, psycopg.OperationalError)):
                await working
    assert counted(fleet) == (0, 0)
    assert await apply_next(connection, PROJECTION) == 1


def waits_for_revisions(fleet: Fleet) -> bool:
    waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'read.revisions'::regclass"
    return fleet.connection.execute(waiting).fetchone() is not None


@pytest.mark.usefixtures("_prepared")
async def test_worker_does_not_write_tables_of_another_version(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    later = replace(REVISIONS, version=REVISIONS.version + 1)
    fleet.register("driver", "EMP-1")
    await apply_next(connection, PROJECTION)
    with pytest.raises(OlderVersion):
        await positions.prepare(connection, later)
    with pytest.raises(NewerVersion):
        await positions.prepare(connection, replace(REVISIONS, version=REVISIONS.version - 1))
    fleet.connection.execute("UPDATE read.positions SET version = %s", [later.version])
    with pytest.raises(PositionTaken):  # also when the later version comes while it works
        await apply_next(connection, PROJECTION)


async def test_empty_table_accepts_any_version(connection: AsyncConnection) -> None:
    for table in (REVISIONS, replace(REVISIONS, version=REVISIONS.version + 1)):
        await positions.prepare(connection, table)
        assert (await positions.read_place(connection, table)).position == 0


@pytest.mark.usefixtures("_prepared")
async def test_table_ahead_of_the_log_is_refused(fleet: Fleet, connection: AsyncConnection) -> None:
    fleet.register("driver", "EMP-1")
    await apply_next(connection, PROJECTION)
    fleet.connection.execute("TRUNCATE log.events")
    with pytest.raises(BeyondHead, match="rebuild"):
        await positions.prepare(connection, REVISIONS)


WORKER = ("states_read", "committed", "notified", "position_moved", "rows_written")
REBUILD = ("rebuild.batch_written", "rebuild.before_swap", "rebuild.swap", "rebuild.swapped")


def all_reached(fleet: Fleet) -> bool:
    return all(position_of(fleet.connection, table.name) == fleet.position for table in READ_TABLES)


def assert_equal_to_the_fold(fleet: Fleet) -> None:
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (fleet.position, fleet.position)


async def test_worker_killed_at_any_boundary_counts_each_event_once(fleet: Fleet, database: Database) -> None:
    for number, failpoint in enumerate(WORKER):
        fleet.register("driver", f"EMP-{number}")
        fleet.change("driver", "EMP-0", city=failpoint)
        mend = spoil(fleet.connection, fleet.position, "another shape")
        if failpoint in WORKER[:3]:  # only a quarantine needs several statements
            mend()
        with RunningWorker(database, failpoint=f"projections.{failpoint}") as worker:
            assert worker.wait() == -signal.SIGKILL
        mend()
    with RunningWorker(database):
        await eventually(lambda: all_reached(fleet))
    assert_equal_to_the_fold(fleet)


async def test_rebuild_killed_at_any_boundary_leaves_a_complete_table(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    register(fleet, 0, 19)
    await catch_up(connection)
    for projection, failpoint in zip(("drivers", "revisions") * 2, REBUILD, strict=True):
        fleet.change("driver", "EMP-0", city=failpoint)
        fleet.register("driver", failpoint)
        assert run(database, "rebuild", projection, failpoint=failpoint).returncode == -signal.SIGKILL
        await catch_up(connection)
        assert_equal_to_the_fold(fleet)
    for projection in ("drivers", "revisions"):
        await rebuild_equal(database, projection)
    assert_equal_to_the_fold(fleet)
    row = fleet.connection.execute("SELECT count(*) FROM read.positions").fetchone()
    assert row == (len(READ_TABLES),)
