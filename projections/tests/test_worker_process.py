"""The worker as a process: its command line, its health and its end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from projections_testing.fleet import Fleet, position_of, rows_of
from projections_testing.following import eventually
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker, run

from ops.testing.postgres import Database
from projections.tables import READ_TABLES

pytestmark = pytest.mark.integration


@pytest.fixture
async def worker(fleet: Fleet, database: Database) -> AsyncIterator[RunningWorker]:
    with RunningWorker(database) as worker:
        await eventually(worker.is_ready)
        yield worker


async def test_a_worker_fills_every_table_and_ends_cleanly_on_sigterm(
    fleet: Fleet, worker: RunningWorker, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await eventually(lambda: all(position_of(fleet.connection, table.name) == 1 for table in READ_TABLES))
    assert set(rows_of(fleet.connection, "drivers")) == {"EMP-1"}
    status = json.loads(run(database, "status", "--json").stdout)
    assert [(row["projection"], row["lag_events"], row["worker"]) for row in status] == [
        (table.name, 0, True) for table in READ_TABLES
    ]
    for arguments, last_line in (
        (["--check"], "drivers: is what the log adds up to; nothing was changed"),
        ([], "drivers: done"),
    ):
        rebuilt = run(database, "rebuild", "drivers", *arguments)
        assert (rebuilt.returncode, rebuilt.stdout.splitlines()[-1]) == (0, last_line)
    fleet.connection.execute("DELETE FROM read.drivers")
    checked = run(database, "rebuild", "drivers", "--check")
    assert checked.returncode == 1
    assert "1 ROWS DIFFERED from the log: EMP-1" in checked.stdout
    assert 'fleetlog_projection_position{projection="drivers"} 1.0' in worker.get("/metrics")[1]
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(timeout=60) in (0, -signal.SIGTERM)
    assert not any(row["worker"] for row in json.loads(run(database, "status", "--json").stdout))


async def test_a_worker_with_a_poisoned_stream_is_degraded_and_a_retry_after_the_fix_heals_it(
    fleet: Fleet, worker: RunningWorker, database: Database
) -> None:
    with fleet.connection.transaction():  # the worker sees them when they are spoilt
        for number in (1, 2):
            fleet.register("driver", f"EMP-{number}")
        mend = spoil(fleet.connection, 1, "another shape")
    await eventually(lambda: position_of(fleet.connection, "drivers") == 2)
    await eventually(lambda: 'quarantined_streams{projection="drivers"} 1.0' in worker.get("/metrics")[1])
    readiness = worker.readiness()
    assert (worker.is_ready(), readiness["status"]) == (True, "degraded")
    assert [name for name, check in readiness["checks"].items() if check.get("degraded")] == ["drivers"]
    (stream,) = readiness["checks"]["drivers"]["detail"]["quarantined_streams"]
    assert (stream["originator_id"], stream["position"]) == ("driver:EMP-1", 1)
    assert "UnreadableEvent" in stream["error"]
    assert "Ravi" not in str(readiness)
    assert "driver:EMP-1 is set aside at position 1" in run(database, "status").stdout
    reported = json.loads(run(database, "status", "--json").stdout)
    assert [(row["projection"], row["quarantined_streams"]) for row in reported if row["quarantined"]] == [
        ("drivers", [stream])
    ]

    again = run(database, "retry")
    assert again.returncode == 1
    assert "driver:EMP-1 stays set aside at position 1" in again.stdout
    mend()
    healed = run(database, "retry", "drivers", "horses")
    assert (healed.returncode, healed.stdout.splitlines()) == (
        0,
        ["drivers: driver:EMP-1 is healed (1 events applied)", "1 healed, 0 still set aside"],
    )
    assert run(database, "retry").stdout == "no stream is set aside\n"
    assert run(database, "retry", "nonsense").returncode == 2
    assert set(rows_of(fleet.connection, "drivers")) == {"EMP-1", "EMP-2"}
    await eventually(lambda: worker.readiness()["status"] == "ok")


def test_a_database_that_is_away_is_told_in_one_line(database: Database) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "projections", "status"],
        env={**os.environ, "FLEETLOG_DATABASE": "host=127.0.0.1 port=1 dbname=none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
