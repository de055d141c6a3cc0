"""That a read table can be thrown away and comes back as it was."""

import psycopg
import pytest
from projections_testing.fleet import Fleet, position_of, rows_of
from projections_testing.following import at_work, eventually
from psycopg import AsyncConnection

from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.follower import Follower
from projections.rebuild import empty, wait_until_filled
from projections.status import Status, read_statuses
from projections.tables import DRIVERS, HORSES

pytestmark = pytest.mark.integration


async def test_a_rebuild_under_a_running_worker_brings_the_table_back(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    for number in range(30):
        fleet.register("driver", f"EMP-{number}")
    async with at_work(Follower(PROJECTIONS["drivers"], database.projections)):
        await eventually(lambda: position_of(fleet.connection, "drivers") == 30)
        before = _changed_position(fleet.connection), rows_of(fleet.connection, "drivers")
        fleet.connection.execute("""UPDATE read.drivers SET record = '{"id": "spoilt"}'""")
        reports: list[Status] = []
        for _ in range(2):  # once more changes nothing
            await empty(connection, DRIVERS)
            assert await wait_until_filled(connection, DRIVERS, reports.append)
        assert reports[-1].position == 30
    assert (_changed_position(fleet.connection), rows_of(fleet.connection, "drivers")) == before


async def test_a_rebuild_without_a_worker_says_so_and_the_next_worker_fills_the_table(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await empty(connection, DRIVERS)
    assert not await wait_until_filled(connection, DRIVERS, lambda _: None, patience_seconds=0.3)
    async with at_work(Follower(PROJECTIONS["drivers"], database.projections)):
        assert await wait_until_filled(connection, DRIVERS, lambda _: None)


async def test_the_status_tells_how_far_behind_a_projection_is_and_whether_somebody_works_on_it(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.register("driver", "EMP-2")
    fleet.connection.execute("UPDATE log.events SET moment = clock_timestamp() - interval '30 s'")
    async with at_work(Follower(PROJECTIONS["drivers"], database.projections)):
        await eventually(lambda: position_of(fleet.connection, "drivers") == 2)
        drivers, horses = await read_statuses(connection, [DRIVERS, HORSES])
    assert (drivers.position, drivers.head, drivers.lag_events, drivers.lag_seconds) == (2, 2, 0, 0)
    assert (horses.position, horses.head, horses.lag_events) == (0, 2, 2)
    assert 30 <= horses.lag_seconds < 60
    assert (drivers.worker, horses.worker) == (True, False)


def _changed_position(connection: psycopg.Connection) -> int:
    row = connection.execute(
        "SELECT changed_position FROM read.positions WHERE projection = 'drivers'"
    ).fetchone()
    assert row
    return int(row[0])
