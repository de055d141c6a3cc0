"""What operators ask for: a worker carries it out or takes it over, and tells how far it is."""

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from projections_testing.fleet import Fleet, position_of
from projections_testing.following import catch_up, eventually
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker
from projections_testing.sealed_data import seal, write_key
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from ops.base.database.pools import open_pool
from ops.base.process.tasks import running
from ops.testing.postgres import Database
from ops.testing.waiting import PATIENCE_SECONDS
from projections.leases.locks import rebuild_key, try_to_lock
from projections.tables import ENTITY_TABLES
from projections.workers.operations.queue import GONE_SECONDS, Queue
from projections.workers.operations.runner import Carrier

pytestmark = pytest.mark.integration


def ask(fleet: Fleet, kind: str, target: str | None = None) -> uuid.UUID:
    asked = uuid.uuid4()
    fleet.connection.execute("SELECT operations.ask(%s, %s, %s, 'sub', 'Name', 'r')", (asked, kind, target))
    return asked


def told(fleet: Fleet, asked: uuid.UUID) -> dict[str, Any]:
    with fleet.connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM operations.actions WHERE id = %s", (asked,)).fetchone()
    assert row is not None
    return row


async def ended(fleet: Fleet, asked: uuid.UUID) -> dict[str, Any]:
    await eventually(lambda: told(fleet, asked)["state"] in {"done", "failed"})
    return told(fleet, asked)


@asynccontextmanager
async def carrying(database: Database, seals: Path | None = None) -> AsyncIterator[None]:
    """Let a worker carry out what is asked for, as long as the context lasts."""
    environment = {**os.environ, "FLEETLOG_DATABASE": database.sealer, **(sealing(seals) if seals else {})}
    carrier = Carrier(environment, verifies=seals is not None, last_word_seconds=PATIENCE_SECONDS)
    async with open_pool(database.sealer, size=1) as pool, running(partial(carrier.run, pool)):
        yield


def sealing(seals: Path) -> dict[str, str]:
    """Return the settings of who has the seals."""
    key = write_key(seals.with_suffix(".pem"))
    return {"FLEETLOG_SEALS": str(seals), "FLEETLOG_SEALING_KEY": str(key)}


async def test_retrying_heals_what_was_mended_and_tells_why_the_rest_stays(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    for driver in ("EMP-1", "EMP-2"):
        fleet.register("driver", driver)
    mend = spoil(fleet.connection, 1, "another shape")
    spoil(fleet.connection, 2, "another shape")
    await catch_up(connection)
    mend()
    async with carrying(database):
        outcome = await ended(fleet, ask(fleet, "retry", "drivers"))
    assert (outcome["state"], outcome["done"], outcome["total"]) == ("failed", 2, 2)
    assert outcome["words"].startswith("1 healed, 1 still set aside\ndrivers: driver:EMP-2 stays set aside")
    assert "Ravi" not in outcome["words"]
    aside = fleet.connection.execute(
        "SELECT originator_id FROM read.quarantined_streams WHERE projection = 'drivers'"
    )
    assert aside.fetchall() == [("driver:EMP-2",)]


async def test_rebuilding_all_tells_how_far_it_is(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    async with carrying(database):
        outcome = await ended(fleet, ask(fleet, "rebuild"))
    assert (outcome["state"], outcome["done"], outcome["total"]) == ("done", 5, 5)
    assert outcome["words"].count(" rows from ") == 5


async def test_what_is_being_rebuilt_already_is_told(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    assert await try_to_lock(connection, rebuild_key(ENTITY_TABLES[0]))
    async with carrying(database):
        outcome = await ended(fleet, ask(fleet, "rebuild", ENTITY_TABLES[0].name))
    assert (outcome["state"], outcome["words"]) == ("failed", "it is being rebuilt already")


async def test_verifying_names_the_place_and_keeps_what_was_found(
    database: Database, fleet: Fleet, connection: AsyncConnection, tmp_path: Path
) -> None:
    await seal(database.sealer, tmp_path, every=2, up_to=0)
    fleet.register("driver", "EMP-1")
    fleet.register("driver", "EMP-2")
    await catch_up(connection)
    async with carrying(database, tmp_path):
        new = await ended(fleet, ask(fleet, "verify"))
    await seal(database.sealer, tmp_path, every=2, up_to=2)
    async with carrying(database, tmp_path):
        good = await ended(fleet, ask(fleet, "verify"))
        spoil(fleet.connection, 2, "another shape")
        bad = await ended(fleet, ask(fleet, "verify"))
    assert (new["state"], new["words"]) == ("done", "Nothing has been sealed yet; the log has 2 events")
    assert (good["state"], good["done"], good["total"]) == ("done", 2, 2)
    assert good["words"].startswith("2 of 2 events are what was sealed")
    assert bad["state"] == "failed"
    assert "at position 2" in bad["words"]
    kept = fleet.connection.execute("SELECT ok, words FROM operations.verifications ORDER BY number")
    assert kept.fetchall() == [(one is not bad, one["words"]) for one in (new, good, bad)]


async def test_only_who_has_the_seals_verifies_and_others_give_it_up_in_the_end(
    database: Database, fleet: Fleet
) -> None:
    async with carrying(database):
        asked = ask(fleet, "verify")
        await ended(fleet, ask(fleet, "retry"))
        assert told(fleet, asked)["state"] == "asked"
        fleet.connection.execute("UPDATE operations.actions SET asked_at = asked_at - interval '11 minutes'")
        outcome = await ended(fleet, asked)
    assert outcome["words"] == "No worker has the seals (FLEETLOG_SEALS)"


async def test_what_a_worker_began_that_is_gone_another_one_takes_over(
    database: Database, fleet: Fleet
) -> None:
    asked = ask(fleet, "retry")
    async with open_pool(database.sealer, size=1) as pool:
        gone, other = Queue(pool, ["retry"]), Queue(pool, ["retry"])
        begun = await gone.take()
        assert begun is not None
        assert await other.take() is None
        silent(fleet)
        assert (await other.take()) is not None
        assert not await gone.tell(begun, "done")  # who comes back finds that it has lost it
        silent(fleet)
    async with carrying(database):
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 3)


async def test_what_every_worker_was_lost_at_fails_in_the_end(database: Database, fleet: Fleet) -> None:
    asked = ask(fleet, "retry")
    async with open_pool(database.sealer, size=1) as pool:
        for _ in range(3):
            assert await Queue(pool, ["retry"]).take() is not None
            silent(fleet)
    async with carrying(database):
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["words"]) == (
        *("failed",),
        "Whoever began it was gone before its end, three times",
    )


async def test_a_worker_that_ends_hands_over_what_it_has_begun(
    database: Database, fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    with psycopg.connect(database.owner) as holding:
        # The rebuild waits for this lock, which its swap needs.
        holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
        asked = ask(fleet, "rebuild", "drivers")
        async with carrying(database):
            await eventually(lambda: told(fleet, asked)["state"] == "running")
        row = told(fleet, asked)
        assert (row["state"], row["attempts"]) == ("asked", 0)
    async with carrying(database):
        assert (await ended(fleet, asked))["state"] == "done"


async def test_what_was_killed_alone_its_worker_begins_anew_at_once(database: Database, fleet: Fleet) -> None:
    fleet.register("driver", "EMP-1")
    async with carrying(database):
        with psycopg.connect(database.owner) as holding:
            holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
            asked = ask(fleet, "rebuild", "drivers")
            await eventually(lambda: waits_for_drivers(fleet))
            [begun] = [child for child in psutil.Process().children() if "carry-out" in child.cmdline()]
            begun.kill()
            await eventually(lambda: told(fleet, asked)["attempts"] == 2)
        outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 2), outcome["words"]


@pytest.mark.parametrize("kind", ["rebuild", "verify"])
async def test_what_a_worker_was_killed_at_another_process_takes_over(
    database: Database, fleet: Fleet, tmp_path: Path, kind: str
) -> None:
    seals = tmp_path / "seals"
    seals.mkdir()
    await seal(database.sealer, seals, every=2, up_to=0)
    fleet.register("driver", "EMP-1")
    environment = sealing(seals)
    with RunningWorker(database, environment=environment) as killed:
        await eventually(killed.is_ready)
        await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
        with psycopg.connect(database.owner) as holding:
            # It comes to where it needs this, and no further.
            holding.execute("LOCK TABLE read.drivers IN ACCESS EXCLUSIVE MODE")
            asked = ask(fleet, kind, "drivers" if kind == "rebuild" else None)
            # Others of the worker may wait for the table, too: it is who began this that is killed.
            await eventually(lambda: told(fleet, asked)["attempts"] == 1 and waits_for_drivers(fleet))
            killed.process.kill()
            # What it had begun ends with it, though that waits.
            await eventually(lambda: not waits_for_drivers(fleet))
        silent(fleet)
        with RunningWorker(database, environment=environment):
            outcome = await ended(fleet, asked)
    assert (outcome["state"], outcome["attempts"]) == ("done", 2), outcome["words"]


def waits_for_drivers(fleet: Fleet) -> bool:
    """Whether anything waits for the table."""
    waiting = fleet.connection.execute(
        "SELECT FROM pg_locks WHERE NOT granted AND relation = 'read.drivers'::regclass"
    )
    return waiting.fetchone() is not None


def silent(fleet: Fleet) -> None:
    """Let whoever carries something out be silent for long."""
    fleet.connection.execute(
        "UPDATE operations.actions SET seen_at = seen_at - make_interval(secs => %s)", (GONE_SECONDS + 1,)
    )
