"""The worker as a process: its command line, its health and its end."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from typing import Any

import pytest
from projections_testing.fleet import Fleet, insert_event, position_of, rows_of
from projections_testing.following import eventually

from ops.launcher.processes.ports import free_port
from ops.testing.postgres import Database
from projections.tables import READ_TABLES

pytestmark = pytest.mark.integration


def environment(database: Database, port: int = 0) -> dict[str, str]:
    return {**os.environ, "FLEETLOG_DATABASE": database.projections, "FLEETLOG_PORT": str(port)}


def run(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "projections", *arguments],
        env=environment(database),
        capture_output=True,
        text=True,
        check=False,
    )


class RunningWorker:
    """A worker process and what it says over HTTP."""

    def __init__(self, database: Database) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "projections", "run"], env=environment(database, self.port)
        )

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except urllib.error.URLError:
            return 0, ""

    def is_ready(self) -> bool:
        return self.get("/readyz")[0] == 200

    def checks(self) -> dict[str, Any]:
        checks: dict[str, Any] = json.loads(self.get("/readyz")[1])["checks"]
        return checks


@pytest.fixture
async def worker(fleet: Fleet, database: Database) -> AsyncIterator[RunningWorker]:
    worker = RunningWorker(database)
    try:
        await eventually(worker.is_ready, seconds=20)
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait()


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
    rebuilt = run(database, "rebuild", "drivers")
    assert (rebuilt.returncode, rebuilt.stdout.splitlines()[-1]) == (0, "drivers: done")
    assert 'fleetlog_projection_position{projection="drivers"} 1.0' in worker.get("/metrics")[1]
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(timeout=5) in (0, -signal.SIGTERM)
    assert not any(row["worker"] for row in json.loads(run(database, "status", "--json").stdout))


async def test_a_worker_with_a_stopped_projection_is_not_ready_and_says_where(
    fleet: Fleet, worker: RunningWorker
) -> None:
    insert_event(
        fleet.connection, position=1, stream="driver:1", version=1, topic="driver.removed", state=b"{}"
    )
    await eventually(lambda: not worker.is_ready())
    checks = worker.checks()
    assert "position 1" in checks["drivers"]["detail"]["error"]
    assert checks["drivers"]["detail"]["lag_events"] == 1
    assert {name for name, check in checks.items() if not check["ok"]} == {"drivers"}
    assert worker.get("/livez")[0] == 200


async def test_a_worker_that_is_killed_leaves_its_work_to_the_next(
    fleet: Fleet, worker: RunningWorker, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
    worker.process.kill()
    fleet.register("driver", "EMP-2")
    spare = RunningWorker(database)
    try:
        await eventually(lambda: position_of(fleet.connection, "drivers") == 2, seconds=20)
    finally:
        spare.process.kill()
        spare.process.wait()


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
