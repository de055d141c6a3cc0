"""That an operator sees when all connections are in use, and that people wait for one."""

import asyncio

import pytest
from psycopg_pool import PoolTimeout

from ops.base.database import open_pool
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.waiting import wait_until

pytestmark = pytest.mark.integration


def output(what: str) -> float:
    return sample(f"fleetlog_database_pool_{what}", server="primary")


def pool_use() -> tuple[float, float]:
    return output("in_use"), output("waiting")


async def test_connections_in_use_and_those_who_wait_for_one_are_told_while_the_pool_is_open(
    database: Database,
) -> None:
    size, timeouts = output("size"), output("timeouts_total")
    async with open_pool(database.query, size=2) as pool:
        await pool.wait()
        assert (output("size"), pool_use()) == (size + 2, (0, 0))
        async with pool.connection(), pool.connection():
            waiting = asyncio.create_task(pool.getconn(timeout=0.3))
            await wait_until(lambda: pool_use() == (2, 1))
            with pytest.raises(PoolTimeout):
                await waiting
        assert pool_use() == (0, 0)
        assert output("timeouts_total") == timeouts + 1
        assert output("wait_seconds_total") > 0.2
    assert output("size") == size
