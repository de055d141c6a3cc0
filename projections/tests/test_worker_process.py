"""The worker process: commands, health, lag, maintenance and shutdown."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import psycopg
import pytest
from projections_testing.fleet import Fleet, position_of, rows_of
from projections_testing.leases import eventually
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker, run

from ops.base.database.pools import Pool
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.workers import process
from projections.workers.process import AT_ONCE, Worker, keep_forgetting_outcomes
from read_model.tables import READ_TABLES


@pytest.fixture
async def worker(fleet: Fleet, database: Database) -> AsyncIterator[RunningWorker]:
    with RunningWorker(database) as worker:
        await eventually(worker.is_ready)
        yield worker


async def test_worker_fills_every_table_and_ends_on_sigterm(
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
        (["--check"], "drivers: matches the log; nothing was changed"),
        ([], "drivers: done"),
    ):
        rebuilt = run(database, "rebuild", "drivers", *arguments)
        assert (rebuilt.returncode, rebuilt.stdout.splitlines()[-1]) == (0, last_line)
    fleet.connection.execute("DELETE FROM read.drivers")
    checked = run(database, "rebuild", "drivers", "--check")
    assert checked.returncode == 1
    assert "1 ROWS DIFFERED from the log: EMP-1" in checked.stdout
    # The metric is absent until the worker has taken up the rebuilt table.
    await eventually(
        lambda: 'fleetlog_projection_position{projection="drivers"} 1.0' in worker.get("/metrics")[1]
    )
    worker.process.terminate()
    assert worker.wait() in (0, -signal.SIGTERM)
    assert not any(row["worker"] for row in json.loads(run(database, "status", "--json").stdout))


async def test_worker_with_a_quarantined_stream_is_degraded_until_retry(
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
    assert stream["error"].startswith("driver.registered: it is not of its shape")
    assert "Ravi" not in str(readiness)
    assert "driver:EMP-1 is quarantined at position 1" in run(database, "status").stdout
    reported = json.loads(run(database, "status", "--json").stdout)
    assert [(row["projection"], row["quarantined_streams"]) for row in reported if row["quarantined"]] == [
        ("drivers", [stream])
    ]

    again = run(database, "retry")
    assert again.returncode == 1
    assert "driver:EMP-1 stays quarantined at position 1" in again.stdout
    mend()
    healed = run(database, "retry", "drivers", "horses")
    assert (healed.returncode, healed.stdout.splitlines()) == (
        0,
        ["drivers: driver:EMP-1 is released (1 events applied)", "1 released, 0 still quarantined"],
    )
    assert run(database, "retry").stdout == "no stream is quarantined\n"
    assert run(database, "retry", "nonsense").returncode == 2
    assert set(rows_of(fleet.connection, "drivers")) == {"EMP-1", "EMP-2"}
    await eventually(lambda: worker.readiness()["status"] == "ok")


def test_absent_database_is_reported_in_one_line(database: Database) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "projections", "status"],
        env={**os.environ, "FLEETLOG_DATABASE": "host=127.0.0.1 port=1 dbname=none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1


_INSERT = """
INSERT INTO log.outcomes
SELECT gen_random_uuid(), '', '', 'horse:H1', 0, 0, clock_timestamp() - %s FROM generate_series(1, %s)
"""


def insert(connection: psycopg.Connection, *, age: timedelta, count: int = 1) -> None:
    connection.execute(_INSERT, (age, count))


def count(connection: psycopg.Connection) -> int:
    ((number,),) = connection.execute("SELECT count(*) FROM log.outcomes").fetchall()
    return int(number)


async def forget_until(database: Database, done: Callable[[], bool]) -> None:
    async with Pool(database.projections, size=1) as pool:
        forgetting_outcomes = asyncio.create_task(keep_forgetting_outcomes(pool))
        await eventually(done)
        forgetting_outcomes.cancel()


async def test_outcomes_are_deleted_after_a_day(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        insert(connection, age=timedelta(hours=25), count=2 * AT_ONCE + 1)
        insert(connection, age=timedelta(hours=23), count=10)
        insert(connection, age=timedelta())
        await forget_until(database, lambda: count(connection) == 11)


async def test_clock_jump_does_not_delete_outcomes_early(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "FORGET_SECONDS", 0.01)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        insert(connection, age=timedelta(days=30), count=5)  # as if a month had passed in an instant
        insert(connection, age=timedelta(days=31, minutes=1), count=1)
        await forget_until(database, lambda: count(connection) == 5)
        insert(connection, age=timedelta(days=31, minutes=1), count=1)
        await forget_until(database, lambda: count(connection) == 5)


async def test_wrong_event_time_does_not_affect_the_lag(fleet: Fleet, database: Database) -> None:
    def lag(unit: str) -> float:
        return sample(f"fleetlog_projection_lag_{unit}", projection="drivers")

    worker = Worker([PROJECTIONS["drivers"]], database.projections)
    async with worker.running(), await psycopg.AsyncConnection.connect(database.owner) as holder:
        while (await worker.readiness())["drivers"].detail["role"] != "leading":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await holder.execute("LOCK TABLE read.positions IN SHARE MODE")
        began = time.monotonic()
        fleet.register("driver", "EMP-1")
        fleet.connection.execute("UPDATE log.events SET moment = clock_timestamp() + interval '10 years'")
        await eventually(lambda: lag("seconds") > 0.5)
        assert lag("seconds") <= time.monotonic() - began
        assert lag("events") == 1
        await holder.rollback()
        await eventually(lambda: lag("events") == 0)
        assert lag("seconds") == 0
