"""Actions that operators request: a worker runs them or takes them over, and reports progress."""

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import psycopg
from projections_testing.fleet import Fleet, position_of
from projections_testing.leases import catch_up, eventually
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker
from projections_testing.sealed_data import seal, write_key
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from ops.base.database.pools import Pool
from ops.base.process.tasks import running
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.workers.operations.queue import GONE_SECONDS, Queue
from projections.workers.operations.runner import ActionRunner


def request(fleet: Fleet, kind: str, target: str | None = None) -> uuid.UUID:
    asked = uuid.uuid4()
    fleet.connection.execute("SELECT operations.ask(%s, %s, %s, 'sub', 'Name', 'r')", (asked, kind, target))
    return asked


def action(fleet: Fleet, asked: uuid.UUID) -> dict[str, Any]:
    with fleet.connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM operations.actions WHERE id = %s", (asked,)).fetchone()
    assert row is not None
    return row


async def ended(fleet: Fleet, asked: uuid.UUID) -> dict[str, Any]:
    await eventually(lambda: action(fleet, asked)["state"] in {"done", "failed"})
    return action(fleet, asked)


@asynccontextmanager
async def running_actions(database: Database, seals: Path | None = None) -> AsyncIterator[None]:
    """Run requested actions while the context lasts."""
    environment = {**os.environ, "FLEETLOG_DATABASE": database.sealer, **(sealing(seals) if seals else {})}
    runner = ActionRunner(environment, verifies=seals is not None, shutdown_seconds=PATIENCE_SECONDS)
    async with Pool(database.sealer, size=1) as pool, running(partial(runner.run, pool)):
        yield


def sealing(seals: Path) -> dict[str, str]:
    """Return the settings of a worker with the seals."""
    key = write_key(seals.with_suffix(".pem"))
    return {"FLEETLOG_SEALS": str(seals), "FLEETLOG_SEALING_KEY": str(key)}


async def test_retry_releases_fixed_streams_and_reports_the_rest(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    for driver in ("EMP-1", "EMP-2"):
        fleet.register("driver", driver)
    mend = spoil(fleet.connection, 1, "another shape")
    spoil(fleet.connection, 2, "another shape")
    await catch_up(connection)
    mend()
    async with running_actions(database):
        outcome = await ended(fleet, request(fleet, "retry", "drivers"))
    assert (outcome["state"], outcome["done"], outcome["total"]) == ("failed", 2, 2)
    assert outcome["words"].startswith(
        "1 released, 1 still quarantined\ndrivers: driver:EMP-2 stays quarantined"
    )
    assert "Ravi" not in outcome["words"]
    aside = fleet.connection.execute(
        "SELECT originator_id FROM read.quarantined_streams WHERE projection = 'drivers'"
    )
    assert aside.fetchall() == [("driver:EMP-2",)]


async def test_rebuild_of_all_tables_reports_its_progress(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    async with running_actions(database):
        outcome = await ended(fleet, request(fleet, "rebuild"))
    tables = len(PROJECTIONS)
    assert (outcome["state"], outcome["done"], outcome["total"]) == ("done", tables, tables)
    assert outcome["words"].count(" rows from ") == tables


async def test_verification_stores_its_findings(
    database: Database, fleet: Fleet, connection: AsyncConnection, tmp_path: Path
) -> None:
    await seal(database.sealer, tmp_path, every=2, up_to=0)
    fleet.register("driver", "EMP-1")
    fleet.register("driver", "EMP-2")
    await catch_up(connection)
    async with running_actions(database, tmp_path):
        new = await ended(fleet, request(fleet, "verify"))
    await seal(database.sealer, tmp_path, every=2, up_to=2)
    async with running_actions(database, tmp_path):
        good = await ended(fleet, request(fleet, "verify"))
        spoil(fleet.connection, 2, "another shape")
        bad = await ended(fleet, request(fleet, "verify"))
    assert (new["state"], new["words"]) == ("done", "Nothing has been sealed yet; the log has 2 events")
    assert (good["state"], good["done"], good["total"]) == ("done", 2, 2)
    assert good["words"].startswith("2 of 2 events match their seals")
    assert bad["state"] == "failed"
    assert "at position 2" in bad["words"]
    kept = fleet.connection.execute("SELECT ok, words FROM operations.verifications ORDER BY number")
    assert kept.fetchall() == [(one is not bad, one["words"]) for one in (new, good, bad)]


async def test_verification_fails_if_no_worker_has_the_seals(database: Database, fleet: Fleet) -> None:
    async with running_actions(database):
        asked = request(fleet, "verify")
        await ended(fleet, request(fleet, "retry"))
        assert action(fleet, asked)["state"] == "asked"
        fleet.connection.execute("UPDATE operations.actions SET asked_at = asked_at - interval '11 minutes'")
        outcome = await ended(fleet, asked)
    assert outcome["words"] == "No worker has the seals (FLEETLOG_SEALS)"


async def test_action_of_a_lost_worker_is_taken_over(database: Database, fleet: Fleet) -> None:
    asked = request(fleet, "retry")
    async with Pool(database.sealer, size=1) as pool:
        gone, other = Queue(pool, ["retry"]), Queue(pool, ["retry"])
        begun = await gone.claim()
        assert begun is not None
        assert await other.claim() is None
        silent(fleet)
        assert (await other.claim()) is not None
        assert not await gone.update(begun, "done")  # a worker that returns has lost the action
        silent(fleet)
    async with running_actions(database):
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 3)


async def test_action_that_lost_three_workers_fails(database: Database, fleet: Fleet) -> None:
    asked = request(fleet, "retry")
    async with Pool(database.sealer, size=1) as pool:
        for _ in range(3):
            assert await Queue(pool, ["retry"]).claim() is not None
            silent(fleet)
    async with running_actions(database):
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["words"]) == (
        *("failed",),
        "Three workers stopped before the action had ended",
    )


async def test_ending_worker_releases_its_action(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    with psycopg.connect(database.owner) as holding:
        # The rebuild waits for this lock, which its swap needs.
        holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
        asked = request(fleet, "rebuild", "drivers")
        async with running_actions(database):
            await eventually(lambda: action(fleet, asked)["state"] == "running")
        row = action(fleet, asked)
        assert (row["state"], row["attempts"]) == ("asked", 0)
    async with running_actions(database):
        assert (await ended(fleet, asked))["state"] == "done"


async def test_killed_action_process_is_restarted(database: Database, fleet: Fleet) -> None:
    fleet.register("driver", "EMP-1")
    async with running_actions(database):
        with psycopg.connect(database.owner) as holding:
            holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
            asked = request(fleet, "rebuild", "drivers")
            await eventually(lambda: waits_for_drivers(fleet))
            [begun] = [child for child in psutil.Process().children() if "execute" in child.cmdline()]
            begun.kill()
            await eventually(lambda: action(fleet, asked)["attempts"] == 2)
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 2), outcome["words"]


async def test_action_of_a_killed_worker_is_taken_over(database: Database, fleet: Fleet) -> None:
    fleet.register("driver", "EMP-1")
    with RunningWorker(database) as killed:
        await eventually(killed.is_ready)
        await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
        with psycopg.connect(database.owner) as holding:
            # The action stops at this lock.
            holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
            asked = request(fleet, "rebuild", "drivers")
            # Other tasks of the worker may wait for the table as well.
            await eventually(lambda: action(fleet, asked)["attempts"] == 1 and waits_for_drivers(fleet))
            killed.process.kill()
            # The action's process ends with the worker, even while it waits.
            await eventually(lambda: not waits_for_drivers(fleet))
        silent(fleet)
        with RunningWorker(database):
            outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 2), outcome["words"]


def waits_for_drivers(fleet: Fleet) -> bool:
    """Return whether a session waits for the table."""
    waiting = fleet.connection.execute(
        "SELECT FROM pg_locks WHERE NOT granted AND relation = 'read.drivers'::regclass"
    )
    return waiting.fetchone() is not None


def silent(fleet: Fleet) -> None:
    """Make the executing worker seem lost."""
    fleet.connection.execute(
        "UPDATE operations.actions SET seen_at = seen_at - make_interval(secs => %s)", (GONE_SECONDS + 1,)
    )
