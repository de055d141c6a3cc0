"""That a spare takes over soon, whether the leader is killed or frozen, and that each event counts once."""

import os
import signal

import pytest
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of
from projections_testing.following import eventually
from projections_testing.processes import RunningWorker

from ops.testing.postgres import Database
from projections.tables import READ_TABLES

pytestmark = pytest.mark.integration

TAKEOVER_SECONDS = 5.0
SLOW_MACHINE = 4
"""By how much a busy machine may be slower than what is promised."""


def roles(worker: RunningWorker) -> set[str]:
    return {check["detail"]["role"] for check in worker.readiness()["checks"].values()}


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
