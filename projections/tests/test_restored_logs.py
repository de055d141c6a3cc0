"""A log older than published or sealed events is stopped until an operator decides."""

import asyncio
import re
from pathlib import Path

import psycopg
import pytest
from projections_testing.fleet import Fleet, position_of, register
from projections_testing.leases import at_work, eventually
from projections_testing.sealed_data import (
    KEY,
    append,
    endless_events,
    seal,
    sealed,
    sealing,
    verdict_on,
    write_key,
)
from psycopg import AsyncConnection

from ops.launcher.backups.acceptance import accept, stop_if_sealed_beyond
from ops.launcher.errors import LauncherError
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from ops.testing.sealed_logs import add_unsigned
from projections.catalogue import PROJECTIONS


def cut_off(fleet: Fleet, *, after: int) -> None:
    """Remove later events, as a restore does."""
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > %s", [after])
    fleet.position = after


def stopped(fleet: Fleet) -> str:
    """Return why the log is stopped, or an empty text."""
    row = fleet.connection.execute("SELECT coalesce(stopped, '') FROM log.identity").fetchone()
    return str(row[0]) if row else ""


async def until_the_sealer_stops(fleet: Fleet, database: Database, folder: Path) -> None:
    async with sealing(database.sealer, folder, events=1):
        await eventually(lambda: stopped(fleet) != "")


async def test_read_table_ahead_of_the_log_stops_the_log_and_is_rebuilt_on_acceptance(
    fleet: Fleet, database: Database
) -> None:
    register(fleet, 1, 8)
    async with at_work(database, PROJECTIONS["drivers"]):
        await eventually(lambda: position_of(fleet.connection, "drivers") == 8)
    cut_off(fleet, after=5)
    async with at_work(database, PROJECTIONS["drivers"]):
        await eventually(lambda: stopped(fleet) != "")
        assert stopped(fleet).startswith("drivers: position 8 is beyond the log's head, 5")
        with pytest.raises(psycopg.OperationalError, match="the log is stopped"):
            append(database.command, endless_events(), number=1)
        before = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
        accepted = accept(database.owner, None)
        assert (accepted.position, accepted.rebuilt) == (5, ["drivers"])
        assert before != (accepted.log_id,)
        await eventually(lambda: position_of(fleet.connection, "drivers") == 5)
        append(database.command, (one for one in endless_events() if one.entity == "driver"), number=1)
        await eventually(lambda: position_of(fleet.connection, "drivers") == 6)
    row = fleet.connection.execute("SELECT count(*), max(version) FROM read.drivers").fetchone()
    assert row == (6, 1)


async def test_log_older_than_its_seals_is_stopped_and_verifies_after_acceptance(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    folder = tmp_path / "seals"
    register(fleet, 1, 8)
    await seal(database.sealer, folder, every=2, up_to=8)
    cut_off(fleet, after=5)
    await until_the_sealer_stops(fleet, database, folder)
    assert stopped(fleet) == "the log ends at 5, and was sealed up to 8"
    with pytest.raises(LauncherError, match="more than this log's 5 events were sealed"):
        accept(database.owner, folder, same_log=True)
    await asyncio.to_thread(accept, database.owner, folder, write_key(tmp_path / "key.pem"))
    assert sealed(folder) == 5
    (aside,) = folder.glob("restarted-*")
    assert sealed(aside) == 8
    register(fleet, 6, 9, "horse")
    await seal(database.sealer, folder, every=1, up_to=9)
    assert (await verdict_on(connection, folder)).fault is None
    latest = SealedLog(folder).latest(KEY.verifying_key)
    assert latest is not None
    (reported,) = latest.restarts
    assert (reported.known, reported.kept) == (8, 4)
    assert reported.reason == "accepted as another log, the log ends at 5, and was sealed up to 8"
    fleet.connection.execute("UPDATE log.former_identities SET last_position = 3")
    assert (await verdict_on(connection, folder)).fault == "a checkpoint is another log's"


async def test_restored_log_that_has_grown_again_is_detected(
    fleet: Fleet, database: Database, tmp_path: Path
) -> None:
    register(fleet, 1, 8)
    await seal(database.sealer, tmp_path, every=2, up_to=8)
    cut_off(fleet, after=5)
    register(fleet, 6, 9, "horse")
    await until_the_sealer_stops(fleet, database, tmp_path)
    assert stopped(fleet) == "the event at position 8 is not the one that was sealed"
    assert sealed(tmp_path) == 8


def test_launcher_stops_a_log_older_than_its_seals(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    register(fleet, 1, 3)
    add_unsigned(tmp_path, 3)
    assert stop_if_sealed_beyond(database.owner, tmp_path) is None
    cut_off(fleet, after=2)
    reported = stop_if_sealed_beyond(database.owner, tmp_path)
    assert reported == "the log ends at 2 and was sealed up to 3: it is older than its seals"
    assert stop_if_sealed_beyond(database.owner, tmp_path / "elsewhere") == stopped(fleet) == reported


async def test_running_sealer_continues_with_the_new_log_id(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    folder = tmp_path / "seals"
    register(fleet, 1, 2)
    async with sealing(database.sealer, folder, events=1):
        await eventually(lambda: sealed(folder) == 2)
        key = write_key(tmp_path / "key.pem")
        await asyncio.to_thread(accept, database.owner, folder, key, anyway=True)
        register(fleet, 3, 4)
        await eventually(lambda: sealed(folder) == 4)
    assert (await verdict_on(connection, folder)).fault is None


def test_acceptance_of_a_running_log_is_optional_and_may_keep_the_log_id(
    fleet: Fleet, database: Database
) -> None:
    with pytest.raises(LauncherError, match="nothing to accept"):
        accept(database.owner, None)
    log_id = accept(database.owner, None, anyway=True).log_id
    assert re.fullmatch("[0-9a-f]{32}", log_id)
    fleet.connection.execute("SELECT log.stop('moved to another machine')")
    assert accept(database.owner, None, same_log=True).log_id == log_id
    assert stopped(fleet) == ""
