"""Only accesses older than a year can be deleted from the access log."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.leases import eventually
from projections_testing.sealed_data import KEY, Capture, look_at, sealed, sealing, verified
from psycopg import AsyncConnection
from pydantic import ValidationError

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.merkle_tree import EMPTY_ROOT
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from projections.commands.audit import restart_sealing
from projections.workers.sealing.audit_tables import access_head, add_checkpoints
from projections.workers.sealing.rows import origin_of
from projections.workers.sealing.settings import SealingSettings

DAYS = 366
OLD, YOUNG = timedelta(days=400), timedelta(days=300)

_BACKDATE = "UPDATE audit.accesses SET moment = moment - %s WHERE moment > now() - interval '1 day'"
_CHAIN = """
UPDATE audit.accesses AS access SET hash = audit.access_hash(
  coalesce((SELECT hash FROM audit.accesses WHERE number = access.number - 1), ''), access
) WHERE number = %s
"""


@pytest.fixture
def seals(tmp_path: Path) -> SealedLog:
    return SealedLog(tmp_path / "seals")


async def looked_long_ago(
    connection: AsyncConnection, database: Database, seals: SealedLog, age: timedelta, *, times: int
) -> None:
    """Record accesses with a checkpoint, both with a past time."""
    look_at(database, times)
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute(_BACKDATE, (age,))
        for (number,) in owner.execute("SELECT number FROM audit.accesses ORDER BY number").fetchall():
            owner.execute(_CHAIN, (number,))
        moment = datetime.now(UTC).replace(microsecond=0) - age
        origin, head = await origin_of(connection), await access_head(connection)
        note = seals.seal([], Checkpoint(origin, 0, EMPTY_ROOT, 0, moment, accesses=head), KEY)
        await add_checkpoints(connection, [(0, note)])
        owner.execute("UPDATE audit.checkpoints SET recorded = %s WHERE note = %s", (moment, note))


def numbers(database: Database) -> list[int]:
    with psycopg.connect(database.owner) as owner:
        rows = owner.execute("SELECT number FROM audit.accesses ORDER BY number").fetchall()
    return [number for (number,) in rows]


def sealed_accesses(seals: SealedLog) -> int:
    latest = seals.latest(KEY.verifying_key)
    return latest.accesses.number if latest else 0


async def test_accesses_older_than_a_year_are_deleted_and_the_rest_verifies(
    fleet: Fleet, connection: AsyncConnection, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    await looked_long_ago(connection, database, seals, OLD, times=3)
    await looked_long_ago(connection, database, seals, YOUNG, times=2)
    look_at(database, 2)
    fleet.register("driver", "EMP-1")
    async with sealing(database.sealer, seals.folder, seconds=0.1, access_log_days=DAYS):
        await eventually(lambda: numbers(database) == [4, 5, 6, 7] and sealed(seals.folder) == 1)
    status, reported = await verified(database, seals.folder, capsys)
    assert (status, "up to access 7 of 7" in reported) == (0, True), reported

    with psycopg.connect(database.sealer, autocommit=True) as sealer:
        for number in (4, 5, 7):  # younger than a year, or the last
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sealer.execute("SELECT audit.forget_accesses(%s)", (number,))
    with psycopg.connect(database.owner, autocommit=True) as owner:
        for number in (4, 5):  # a place that no checkpoint vouches for; one that a young one does
            owner.execute("DELETE FROM audit.accesses WHERE number <= %s", (number,))
            status, reported = await verified(database, seals.folder, capsys)
            fault = f"access {number + 1} does not match the hash chain after nothing"
            assert (status, fault in reported) == (1, True), reported


async def test_restart_keeps_the_checkpoint_of_deleted_accesses(
    fleet: Fleet, connection: AsyncConnection, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    await looked_long_ago(connection, database, seals, OLD, times=3)
    look_at(database, 2)
    fleet.register("driver", "EMP-1")
    async with sealing(database.sealer, seals.folder, seconds=0.1, access_log_days=DAYS):
        await eventually(lambda: numbers(database) == [4, 5] and sealed(seals.folder) == 1)
    assert await restart_sealing(database.sealer, seals, KEY, [], "the disk was lost") == 0
    status, reported = await verified(database, seals.folder, capsys)
    assert (status, "up to access 5 of 5" in reported) == (0, True), reported


async def test_unlimited_retention_deletes_no_accesses(
    connection: AsyncConnection, database: Database, seals: SealedLog
) -> None:
    await looked_long_ago(connection, database, seals, OLD, times=3)
    look_at(database, 1)
    async with sealing(database.sealer, seals.folder, seconds=0.1) as (sealer,):
        await eventually(lambda: sealed_accesses(seals) == 4)
        assert sealer.readiness().ok
    assert numbers(database) == [1, 2, 3, 4]


def test_retention_below_a_year_is_refused() -> None:
    assert SealingSettings().access_log_days == DAYS
    assert SealingSettings(access_log_days=0).access_log_days == 0
    with pytest.raises(ValidationError, match="at least 366"):
        SealingSettings(access_log_days=365)
