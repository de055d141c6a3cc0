"""Lost, restored or forged seals stop sealing until an operator restarts it."""

import shutil
from pathlib import Path

import psycopg
import pytest
from projections_testing.fleet import Fleet, register
from projections_testing.leases import eventually
from projections_testing.sealed_data import KEY, Capture, begin_sealing, seal, sealed, sealing, verified
from psycopg import AsyncConnection

from ops.tamper_evidence.proof_checks import check_proof
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from projections.commands.audit import export, restart_sealing
from projections.failures import ProjectionStopped
from projections.workers.sealing.audit_tables import all_notes
from projections.workers.sealing.sealer import Sealer
from projections.workers.sealing.witnesses import FolderWitness, Witness
from projections.workers.verification.verification import Scope

FORGE = "UPDATE log.events SET topic = 'driver.removed' WHERE notification_id = 7"
REASON = "the disk with the seals was lost"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "seals"


@pytest.fixture
def witness(tmp_path: Path) -> FolderWitness:
    (tmp_path / "witness").mkdir()
    return FolderWitness(tmp_path / "witness")


async def fault_of(sealer: Sealer) -> str:
    """Wait until a sealer reports a fault, and return it."""
    await eventually(lambda: not sealer.readiness().ok)
    return str(sealer.readiness().detail["error"])


async def refused(database: Database, folder: Path, *witnesses: Witness) -> str:
    """Run a new sealer, which must not seal, and return its fault."""
    async with sealing(database.sealer, folder, begin=False, events=1, witnesses=witnesses) as (sealer,):
        return await fault_of(sealer)


async def test_deleted_seals_stop_sealing_and_fail_verification(
    fleet: Fleet, database: Database, folder: Path, capsys: Capture
) -> None:
    """The attack: change event 7, delete the seals, wait."""
    register(fleet, 1, 12)
    async with sealing(database.sealer, folder, events=4) as (sealer,):
        await eventually(lambda: sealed(folder) == 12)
        await eventually(lambda: sealer.readiness().detail["position"] == 12)
        assert sealer.readiness().ok
        fleet.connection.execute(FORGE)
        shutil.move(folder, folder.with_name("deleted"))
        fault = await fault_of(sealer)  # noticed in the midst of a look, or by the next one
        assert "position 12 was removed" in fault or "up to 12 events are gone" in fault
        assert sealed(folder) == 0
    assert "the seals of up to 12 events are gone" in await refused(database, folder)
    status, reported = await verified(database, folder, capsys)
    assert status == 1
    assert "the database has a checkpoint of position 4 that the folder does not have" in reported


async def test_sealer_remembers_the_last_checkpoint_itself(
    fleet: Fleet, database: Database, folder: Path
) -> None:
    register(fleet, 1, 4)
    async with sealing(database.sealer, folder, events=4) as (sealer,):
        await eventually(lambda: sealer.readiness().detail["position"] == 4)
        fleet.connection.execute("DELETE FROM audit.checkpoints")
        fleet.connection.execute("TRUNCATE log.events")
        shutil.rmtree(folder)
        assert "position 4" in await fault_of(sealer)  # whichever place it missed first
        gone = "no copy has the checkpoint of position 4"  # it looks again after some seconds
        await eventually(lambda: gone in str(sealer.readiness().detail["error"]))


async def test_sealing_starts_automatically_only_for_a_new_log(
    fleet: Fleet, database: Database, folder: Path
) -> None:
    async with sealing(database.sealer, folder, begin=False, events=2) as (sealer,):
        await eventually(lambda: sealer.readiness().detail["position"] == 0)
        register(fleet, 1, 2)
        await eventually(lambda: sealed(folder) == 2)
    shutil.rmtree(folder)
    fleet.connection.execute("DELETE FROM audit.checkpoints")
    fleet.connection.execute("UPDATE log.events SET moment = moment - interval '61 minutes'")
    assert "the log is not new, and has no seals" in await refused(database, folder)


async def test_restored_folder_is_detected(
    fleet: Fleet, database: Database, folder: Path, capsys: Capture
) -> None:
    register(fleet, 1, 4)
    await seal(database.sealer, folder, every=4, up_to=4)
    shutil.copytree(folder, folder.with_name("old"))
    register(fleet, 5, 8)
    await seal(database.sealer, folder, every=4, up_to=8)
    shutil.rmtree(folder)
    folder.with_name("old").rename(folder)
    assert "the folder's last checkpoint is of position 4" in await refused(database, folder)
    assert "the database has a checkpoint of position 8" in (await verified(database, folder, capsys))[1]


async def test_restored_database_is_detected(
    fleet: Fleet, database: Database, folder: Path, capsys: Capture
) -> None:
    register(fleet, 1, 12)
    await seal(database.sealer, folder, every=4, up_to=12)
    fleet.connection.execute("DELETE FROM audit.checkpoints WHERE size > 4")
    assert "the database's of position 4" in await refused(database, folder)
    status, reported = await verified(database, folder, capsys)
    assert (status, "the database has lost the checkpoint of position 8" in reported) == (1, True)


async def test_witness_detects_a_complete_restore(
    fleet: Fleet, database: Database, folder: Path, witness: FolderWitness, capsys: Capture
) -> None:
    register(fleet, 1, 4)
    await seal(database.sealer, folder, every=4, up_to=4, witnesses=[witness])
    shutil.copytree(folder, folder.with_name("old"))
    register(fleet, 5, 8)
    await seal(database.sealer, folder, every=4, up_to=8, witnesses=[witness])
    assert (await verified(database, folder, capsys, Scope(witnesses=[witness], log_only=True)))[0] == 0
    shutil.rmtree(folder)
    folder.with_name("old").rename(folder)
    fleet.connection.execute("DELETE FROM audit.checkpoints WHERE size > 4")
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > 4")
    fleet.position = 4
    register(fleet, 105, 110)
    assert (await verified(database, folder, capsys))[0] == 0  # so far it is only an older log
    status, reported = await verified(database, folder, capsys, Scope(witnesses=[witness], log_only=True))
    assert (status, "has a checkpoint of position 8 that the seals do not have" in reported) == (1, True)
    assert "has a checkpoint of position 8" in await refused(database, folder, witness)


@pytest.mark.parametrize(("lost", "is_fault"), [("size = 8", 0), ("true", 1)], ids=["crash", "upgrade"])
async def test_checkpoints_that_the_database_lacks_are_added(  # noqa: PLR0917 - fixtures and a case
    fleet: Fleet,
    database: Database,
    folder: Path,
    connection: AsyncConnection,
    capsys: Capture,
    lost: str,
    is_fault: int,
) -> None:
    """After a crash between folder and database; after an upgrade from 0008 the database has none."""
    register(fleet, 1, 8)
    await seal(database.sealer, folder, every=4, up_to=8)
    before = await all_notes(connection)
    fleet.connection.execute(f"DELETE FROM audit.checkpoints WHERE {lost}".encode())  # noqa: S608
    assert (await verified(database, folder, capsys))[0] == is_fault
    async with sealing(database.sealer, folder, begin=False) as (sealer,):
        await eventually(lambda: sealer.readiness().detail["position"] == 8)
    assert await all_notes(connection) == before


async def test_restart_of_sealing_is_stated_in_every_later_checkpoint(
    fleet: Fleet, database: Database, folder: Path, witness: FolderWitness, capsys: Capture
) -> None:
    register(fleet, 1, 12)
    await seal(database.sealer, folder, every=4, up_to=12, witnesses=[witness])
    fleet.connection.execute(FORGE)
    shutil.rmtree(folder)
    seals = SealedLog(folder)
    assert await restart_sealing(database.sealer, seals, KEY, [witness], f" {REASON}\n") == 0
    trace = "Sealing was restarted after position 4, when it had been sealed up to 12, at "
    assert trace in capsys.readouterr().out
    register(fleet, 13, 20)
    await seal(database.sealer, folder, every=4, up_to=20, witnesses=[witness])
    status, reported = await verified(database, folder, capsys, Scope(witnesses=[witness], log_only=True))
    assert (status, trace in reported, f": {REASON}" in reported) == (0, True, True)
    assert [one.size for one in seals.checkpoints(KEY.verifying_key)] == [0, 4, 12, 16, 20]
    latest = seals.latest(KEY.verifying_key)
    assert latest is not None
    assert [(one.known, one.kept, one.reason) for one in latest.restarts] == [(12, 4, REASON)]
    notes = [path.read_text() for path in sorted((folder.with_name("witness")).glob("*.note"))]
    assert sum('"reason": "the disk' in note for note in notes) == 4  # three, and the last once more
    await export(database.sealer, seals, KEY, "driver:EMP-15")
    exported = capsys.readouterr().out.encode().splitlines(keepends=True)
    assert check_proof(exported, KEY.verifying_key).end.restarts == latest.restarts


async def test_restart_cannot_be_hidden_by_restoring_older_seals(
    fleet: Fleet, database: Database, folder: Path, capsys: Capture
) -> None:
    register(fleet, 1, 4)
    await seal(database.sealer, folder, every=4, up_to=4)
    shutil.copytree(folder, folder.with_name("old"))
    fleet.connection.execute("UPDATE log.events SET topic = '' WHERE notification_id = 3")
    await restart_sealing(database.sealer, SealedLog(folder), KEY, [], "the first")
    shutil.rmtree(folder)
    folder.with_name("old").rename(folder)
    assert "the folder's last checkpoint" in await refused(database, folder)
    await restart_sealing(database.sealer, SealedLog(folder), KEY, [], "the second")
    reported = (await verified(database, folder, capsys))[1]
    assert reported.index(": the first") < reported.index(": the second")


async def test_restart_is_refused_while_sealing_works_or_without_a_reason(
    fleet: Fleet, database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(fleet, 1, 4)
    monkeypatch.setattr("projections.workers.sealing.restart._LOCK_SECONDS", 0.5)
    async with sealing(database.sealer, folder, events=4) as (sealer,):
        await eventually(lambda: sealer.readiness().detail["position"] == 4)
        with pytest.raises(ProjectionStopped, match="sealing needs no restart"):
            await restart_sealing(database.sealer, SealedLog(folder), KEY, [], REASON)
    with pytest.raises(ProjectionStopped, match="state a reason"):
        await restart_sealing(database.sealer, SealedLog(folder), KEY, [], " \n")


@pytest.mark.parametrize(
    "statement", ["UPDATE audit.checkpoints SET note = ''", "DELETE FROM audit.checkpoints"]
)
async def test_sealer_role_cannot_change_checkpoints(
    database: Database, folder: Path, statement: str
) -> None:
    await begin_sealing(database.sealer, folder)
    with (
        psycopg.connect(database.sealer) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())
