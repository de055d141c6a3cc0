"""That the status tells how far the projections are."""

import pytest
from projections_testing.entity_tables import DRIVERS, HORSES
from projections_testing.fleet import Fleet, position_of
from projections_testing.following import at_work, eventually, follower_of
from psycopg import AsyncConnection

from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.progress.status import read_statuses

pytestmark = pytest.mark.integration


async def test_the_status_tells_how_far_behind_a_projection_is_and_whether_somebody_works_on_it(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.register("driver", "EMP-2")
    async with at_work(follower_of(PROJECTIONS["drivers"], database)):
        await eventually(lambda: position_of(fleet.connection, "drivers") == 2)
        drivers, horses = await read_statuses(connection, [DRIVERS, HORSES])
    assert (drivers.position, drivers.head, drivers.lag_events) == (2, 2, 0)
    assert (horses.position, horses.head, horses.lag_events) == (0, 2, 2)
    assert (drivers.worker, horses.worker) == (True, False)
