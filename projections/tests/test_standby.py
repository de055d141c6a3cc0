"""That a spare takes over soon, whether the leader is killed or frozen, and that each event counts once."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of
from projections_testing.following import eventually
from projections_testing.processes import RunningWorker

from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from projections.tables import READ_TABLES

pytestmark = pytest.mark.integration

TAKEOVER_SECONDS = 5.0
SLOW_MACHINE = 4
"""By how much a busy machine may be slower than what is promised."""


def roles(worker: RunningWorker) -> set[str]:
    return {check["detail"]["role"] for check in worker.readiness()["checks"].values()}


async def until(condition: Callable[[], bool], *, seconds: float = 30) -> float:
    """Wait, in a thread, so that the network of this process goes on; return how long it took."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.05)
    return time.monotonic() - began


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP], ids=lambda fate: fate.name)
async def test_a_spare_takes_over_from_a_leader_that_is_killed_or_frozen(
    fleet: Fleet, database: Database, fate: signal.Signals
) -> None:
    with RunningWorker(database) as leader:
        await eventually(lambda: leader.is_ready() and roles(leader) == {"leading"}, seconds=30)
        with RunningWorker(database) as spare:
            await eventually(lambda: spare.is_ready() and roles(spare) == {"standby"}, seconds=30)
            for number in range(200):
                fleet.register("driver", f"EMP-{number}")
                if number == 100:
                    os.kill(leader.process.pid, fate)  # while it is at work
            seconds = await eventually(
                lambda: all(position_of(fleet.connection, table.name) == 200 for table in READ_TABLES),
                seconds=SLOW_MACHINE * TAKEOVER_SECONDS,
            )
            print(f"taken over {seconds:.1f} s after {fate.name}")
            await eventually(lambda: roles(spare) == {"leading"})
            os.kill(leader.process.pid, signal.SIGCONT) if fate == signal.SIGSTOP else None
            for number in range(200, 220):
                fleet.register("horse", f"HRS-{number}")
            await eventually(
                lambda: all(position_of(fleet.connection, table.name) == 220 for table in READ_TABLES),
                seconds=20,
            )
            if fate == signal.SIGSTOP:  # whoever was frozen is now the spare
                await eventually(lambda: leader.is_ready() and roles(leader) == {"standby"}, seconds=30)
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (220, 220)


async def test_a_spare_takes_over_from_a_leader_whose_connections_are_half_open(
    fleet: Fleet, database: Database
) -> None:
    def is_reached(position: int) -> bool:
        return all(position_of(fleet.connection, table.name) == position for table in READ_TABLES)

    async with faulty_network(database.projections) as (network, dsn):
        with RunningWorker(replace(database, projections=dsn)) as leader:
            await until(lambda: leader.is_ready() and roles(leader) == {"leading"})
            with RunningWorker(database) as spare:
                await until(lambda: spare.is_ready() and roles(spare) == {"standby"})
                for number in range(20):
                    fleet.register("driver", f"EMP-{number}")
                network.fall_silent()
                seconds = await until(lambda: is_reached(20), seconds=SLOW_MACHINE * TAKEOVER_SECONDS)
                print(f"taken over {seconds:.1f} s after the network fell silent")
                assert roles(spare) == {"leading"}
                network.heal()
                await until(lambda: leader.is_ready() and roles(leader) == {"standby"}, seconds=60)
                fleet.register("driver", "EMP-20")
                await until(lambda: is_reached(21))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (21, 21)
