"""That a worker or a rebuild killed at any boundary leaves what the next one makes whole."""

import signal

import pytest
from projections_testing.fleet import Fleet, fold_of_log, position_of, rows_of
from projections_testing.following import catch_up, eventually
from projections_testing.processes import RunningWorker, run
from psycopg import AsyncConnection

from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuilding import rebuild
from projections.tables import READ_TABLES

pytestmark = pytest.mark.integration

WORKER = ("projection.position_moved", "projection.rows_written", "projection.committed")
REBUILD = ("rebuild.batch_written", "rebuild.before_swap", "rebuild.swapping", "rebuild.swapped")


def assert_equal_to_the_fold(fleet: Fleet) -> None:
    assert rows_of(fleet.connection, "drivers") == {
        entity_id: (state.version, state.record())
        for (_, entity_id), state in fold_of_log(fleet.connection).items()
    }
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (fleet.position, fleet.position)


async def test_a_worker_killed_at_any_boundary_counts_each_event_once(
    fleet: Fleet, database: Database
) -> None:
    for number, failpoint in enumerate(WORKER):
        fleet.register("driver", f"EMP-{number}")
        fleet.change("driver", "EMP-0", city=failpoint)
        with RunningWorker(database, failpoint=failpoint) as worker:
            assert worker.process.wait(timeout=60) == -signal.SIGKILL
    with RunningWorker(database):
        await eventually(
            lambda: all(position_of(fleet.connection, t.name) == fleet.position for t in READ_TABLES),
        )
    assert_equal_to_the_fold(fleet)


async def test_a_rebuild_killed_at_any_boundary_leaves_a_table_that_is_whole(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    for number in range(20):
        fleet.register("driver", f"EMP-{number}")
    await catch_up(connection)
    for projection, failpoint in zip(("drivers", "revisions") * 2, REBUILD, strict=True):
        fleet.change("driver", "EMP-0", city=failpoint)
        fleet.register("driver", failpoint)
        assert run(database, "rebuild", projection, failpoint=failpoint).returncode == -signal.SIGKILL
        await catch_up(connection)
        assert_equal_to_the_fold(fleet)
    for projection in ("drivers", "revisions"):
        again = await rebuild(database.projections, PROJECTIONS[projection])
        assert again.differences
        assert again.differences.count == 0
    assert_equal_to_the_fold(fleet)
    row = fleet.connection.execute("SELECT count(*) FROM read.positions").fetchone()
    assert row == (len(READ_TABLES),)
