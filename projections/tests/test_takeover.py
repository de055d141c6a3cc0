"""A standby takes over the projections of a lost worker."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of, register
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker

from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from read_model.tables import READ_TABLES

NAMES = {table.name for table in READ_TABLES}
TAKEOVER_SECONDS = 5.0
SLOW_MACHINE = 12
"""Factor by which a busy machine may exceed the limit."""


def leads(worker: RunningWorker) -> set[str]:
    """Return the projections that it reports to lead; none while it is not ready."""
    readiness = worker.readiness()
    checks = readiness["checks"] if readiness.get("status") in {"ok", "degraded"} else {}
    return {name for name in checks if name in NAMES and checks[name]["detail"].get("role") == "leading"}


async def until(condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Wait, in a thread, so that the network of this process goes on; return how long it took."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.05)
    return time.monotonic() - began


def is_reached(fleet: Fleet, position: int) -> bool:
    return all(position_of(fleet.connection, table.name) == position for table in READ_TABLES)


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP], ids=lambda fate: fate.name)
async def test_standby_takes_over_from_a_killed_or_frozen_worker(
    fleet: Fleet, database: Database, fate: signal.Signals
) -> None:
    with RunningWorker(database) as victim:
        await eventually(lambda: leads(victim) == NAMES)
        with RunningWorker(database) as other:
            await eventually(other.is_ready)
            for number in range(200):
                fleet.register("driver", f"EMP-{number}")
                if number == 100:
                    os.kill(victim.pid, fate)  # while it is at work
            seconds = await eventually(
                lambda: is_reached(fleet, 200), seconds=SLOW_MACHINE * TAKEOVER_SECONDS
            )
            print(f"taken over {seconds:.1f} s after {fate.name}")
            await eventually(lambda: leads(other) == NAMES)
            if fate == signal.SIGSTOP:  # the frozen worker is a standby from now on
                os.kill(victim.pid, signal.SIGCONT)
                await eventually(lambda: victim.is_ready() and not leads(victim))
            for number in range(200, 220):
                fleet.register("horse", f"HRS-{number}")
            await eventually(lambda: is_reached(fleet, 220))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (220, 220)


async def test_standby_takes_over_from_a_worker_with_half_open_connections(
    fleet: Fleet, database: Database
) -> None:
    async with faulty_network(database.projections) as (network, dsn):
        with RunningWorker(replace(database, projections=dsn)) as victim:
            await until(lambda: leads(victim) == NAMES)
            with RunningWorker(database) as other:
                await until(other.is_ready)
                register(fleet, 0, 19)
                network.fall_silent()
                seconds = await until(
                    lambda: leads(other) == NAMES and is_reached(fleet, 20),
                    seconds=SLOW_MACHINE * TAKEOVER_SECONDS,
                )
                print(f"taken over {seconds:.1f} s after the network fell silent")
                network.heal()
                await until(lambda: victim.is_ready() and not leads(victim))
                fleet.register("driver", "EMP-20")
                await until(lambda: is_reached(fleet, 21))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (21, 21)
