"""`verify` and `export` detect changes of a sealed log, and name their positions."""

import json
from base64 import b64decode
from pathlib import Path

import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.processes import run
from projections_testing.sealed_data import KEY, Capture, append, endless_events, seal, verified, write_key

from ops.tamper_evidence.proof_checks import check_proof
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from ops.testing.sealed_logs import OTHER_KEY, add_unsigned, change_note
from projections.commands.audit import export, verify
from projections.failures import ProjectionStopped
from projections.workers.sealing.settings import require_seals
from projections.workers.verification.verification import Scope

EVENTS, SEALED, EVERY = 14, 12, 4


@pytest.fixture
def seals(tmp_path: Path) -> SealedLog:
    return SealedLog(tmp_path / "seals")


@pytest.fixture
async def log(fleet: Fleet, database: Database, seals: SealedLog) -> psycopg.Connection:
    """The owner's connection to a sealed log."""
    append(database.command, endless_events(), number=EVENTS)
    await seal(database.sealer, seals.folder, every=EVERY, up_to=SEALED)
    return fleet.connection


async def fault_of(database: Database, seals: SealedLog, capsys: Capture, *kept: Path) -> str:
    status, reported = await verified(database, seals.folder, capsys, Scope(kept, log_only=True))
    assert status == 1
    return reported.removeprefix("THE LOG DOES NOT MATCH ITS SEALS: ")


@pytest.mark.usefixtures("log")
async def test_untouched_log_verifies(database: Database, seals: SealedLog, capsys: Capture) -> None:
    status, reported = await verified(
        database, seals.folder, capsys, Scope([note_of(seals, EVERY, seals.folder.parent)], log_only=True)
    )
    assert status == 0
    assert reported.startswith(
        f"{SEALED} of {EVENTS} events match their seals; those after position {SEALED}"
    )


def note_of(seals: SealedLog, size: int, to: Path) -> Path:
    kept = to / "kept.note"
    kept.write_text(seals.note(size), "utf-8")
    return kept


async def test_a_log_that_was_never_sealed_is_reported(
    log: psycopg.Connection, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    seals.folder.rename(seals.folder.with_suffix(".gone"))
    log.execute("DELETE FROM audit.checkpoints")
    reported = (1, f"Nothing has been sealed yet; the log has {EVENTS} events")
    assert await verified(database, seals.folder, capsys) == reported


CHANGED = "an event does not match its seal at position {}"
SET = "UPDATE log.events SET {} WHERE notification_id = 7"
ONE_BYTE = {
    "notification_id": "notification_id + 65536",
    "originator_id": "overlay(originator_id placing 'X' from 3)",
    "originator_version": "originator_version + 256",
    "topic": "overlay(topic placing '_' from 7)",
    "state": "set_byte(state, 17, get_byte(state, 17) # 1)",
    "moment": "moment + interval '1 microsecond'",
    "command_id": "overlay(command_id::text placing 'e7' from 1)::uuid",
}
"""Changes of one byte, by column."""


async def test_one_changed_byte_of_any_column_is_detected(
    log: psycopg.Connection, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    columns = log.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'log.events'::regclass AND attnum > 0"
    ).fetchall()
    assert {name for (name,) in columns} == ONE_BYTE.keys()
    log.execute("CREATE TABLE former AS SELECT * FROM log.events")
    for column, changed in ONE_BYTE.items():
        log.execute(SET.format(f"{column} = {changed}").encode())
        fault = "an event is missing at position {}" if column == "notification_id" else CHANGED
        assert await fault_of(database, seals, capsys) == fault.format(7), column
        log.execute("DELETE FROM log.events")
        log.execute("INSERT INTO log.events SELECT * FROM former")


@pytest.mark.parametrize(
    ("fault", "statements"),
    [
        (
            "an event stands there twice or out of place at position 7",
            [
                "ALTER TABLE log.events DROP CONSTRAINT events_pkey",
                "ALTER TABLE log.events DROP CONSTRAINT events_originator_id_originator_version_key",
                "ALTER TABLE log.events DROP CONSTRAINT events_command_id_key",
                "INSERT INTO log.events SELECT * FROM log.events WHERE notification_id = 7",
            ],
        ),
        (
            "an event stands there twice or out of place at position 0",
            [
                "ALTER TABLE log.events DROP CONSTRAINT events_pkey",
                "ALTER TABLE log.events ALTER notification_id DROP NOT NULL",
                (
                    "INSERT INTO log.events (originator_id, originator_version, topic, state, moment)"
                    " SELECT originator_id, originator_version + 999, topic, state, moment"
                    " FROM log.events WHERE notification_id = 7"
                ),
            ],
        ),
        (
            CHANGED.format(7),
            ["ALTER TABLE log.events ALTER state DROP NOT NULL", SET.format("state = NULL")],
        ),
        (CHANGED.format(7), [SET.format("command_id = NULL")]),
        (CHANGED.format(7), [SET.format("moment = 'infinity'")]),
        (
            CHANGED.format(1),
            ["ALTER TABLE log.events ALTER state TYPE text USING encode(state, 'escape')"],
        ),
    ],
    ids=[
        *("repeated row", "row without a position", "row without a payload", "row without a command id"),
        *("infinite time", "another column type"),
    ],
)
async def test_changes_of_the_database_are_detected(  # noqa: PLR0917 - fixtures and a case
    log: psycopg.Connection,
    database: Database,
    seals: SealedLog,
    capsys: Capture,
    fault: str,
    statements: list[str],
) -> None:
    for statement in statements:
        log.execute(statement.encode())
    assert await fault_of(database, seals, capsys) == fault


async def test_checkpoint_stored_elsewhere_detects_a_complete_restore(
    log: psycopg.Connection, database: Database, seals: SealedLog, capsys: Capture, tmp_path: Path
) -> None:
    kept = note_of(seals, SEALED, tmp_path)
    change_note(seals.folder, SEALED)
    log.execute("DELETE FROM log.events WHERE notification_id > %s", [SEALED - EVERY])
    log.execute("DELETE FROM audit.checkpoints WHERE size = %s", [SEALED])
    hashes = seals.folder / "hashes"
    hashes.write_bytes(hashes.read_bytes()[: (SEALED - EVERY) * 32])
    assert (await verified(database, seals.folder, capsys))[0] == 0  # so far it is only an older log
    fault = f"the seals are not those of the checkpoint that was kept at position {SEALED}"
    assert await fault_of(database, seals, capsys, kept) == fault


@pytest.mark.usefixtures("log")
async def test_invalid_checkpoint_file_is_refused(
    database: Database, seals: SealedLog, tmp_path: Path
) -> None:
    with pytest.raises(ProjectionStopped, match=r"kept\.note cannot be read: FileNotFoundError"):
        await verify(database.sealer, seals, KEY, Scope([tmp_path / "kept.note"]))
    (tmp_path / "kept.note").write_text("")
    with pytest.raises(ProjectionStopped, match=r"kept\.note is not this instance's: not signed by fleetlog"):
        await verify(database.sealer, seals, KEY, Scope([tmp_path / "kept.note"]))


async def test_unreadable_log_is_reported_in_one_line(
    log: psycopg.Connection, database: Database, seals: SealedLog
) -> None:
    log.execute("DELETE FROM log.identity")
    with pytest.raises(ProjectionStopped, match="the log has lost its id"):
        await verify(database.sealer, seals, KEY)
    log.execute("INSERT INTO log.identity (log_id) VALUES ('x')")
    log.execute("ALTER TABLE log.events RENAME TO gone")
    with pytest.raises(ProjectionStopped, match="the log's table cannot be read: UndefinedTable"):
        await verify(database.sealer, seals, KEY)


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of an instance whose settings are in the environment."""
    path = write_key(tmp_path / "key.pem")
    monkeypatch.setenv("FLEETLOG_SEALS", str(tmp_path / "seals"))
    monkeypatch.setenv("FLEETLOG_SEALING_KEY", str(path))
    return path


async def test_history_with_all_registrations_is_exported_up_to_the_last_seal(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    for entity in ("driver", "horse"):
        fleet.register(entity, "ONE")
    fleet.change("driver", "ONE", city="Mysuru")
    fleet.remove("driver", "ONE")
    fleet.register("driver", "ONE")
    fleet.remove("driver", "ONE")
    await seal(database.sealer, seals.folder, every=5, up_to=5)
    capsys.readouterr()
    assert await export(database.sealer, seals, KEY, "driver:ONE") == 0
    exported = capsys.readouterr()
    assert exported.err == "4 events of driver:ONE, 1 more are not sealed yet\n"
    proven = check_proof(exported.out.encode().splitlines(keepends=True), KEY.verifying_key)
    assert [event["topic"].partition(".")[2] for event in proven.history] == [
        "registered",
        "details_changed",
        "removed",
        "registered",
    ]
    assert json.loads(b64decode(proven.history[1]["state"]))["changes"]["city"]["to"] == "Mysuru"


async def test_ambiguous_and_unknown_ids_are_refused(
    fleet: Fleet, database: Database, seals: SealedLog
) -> None:
    for entity in ("driver", "horse"):
        fleet.register(entity, "ONE")
    await seal(database.sealer, seals.folder, every=2, up_to=2)
    with pytest.raises(ProjectionStopped, match="specify driver:ONE or horse:ONE"):
        await export(database.sealer, seals, KEY, "ONE")
    with pytest.raises(ProjectionStopped, match="nothing of 'TWO' has been sealed"):
        await export(database.sealer, seals, KEY, "TWO")


async def test_changed_history_is_not_exported(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    fleet.change("driver", "ONE", city="Mysuru")
    await seal(database.sealer, seals.folder, every=2, up_to=2)
    fleet.connection.execute("UPDATE log.events SET topic = 'driver.removed' WHERE notification_id = 2")
    with pytest.raises(
        ProjectionStopped, match="up to position 2 are not those of its checkpoint; run audit verify"
    ):
        await export(database.sealer, seals, KEY, "ONE")
    (seals.folder / "hashes").write_bytes(b"")
    with pytest.raises(ProjectionStopped, match="the hashes end before position 2; run audit verify"):
        await export(database.sealer, seals, KEY, "ONE")


async def test_before_the_first_seal_there_is_nothing_to_verify_or_export(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    with pytest.raises(ProjectionStopped, match="nothing has been sealed yet"):
        await export(database.sealer, seals, KEY, "ONE")
    assert await verify(database.sealer, seals, KEY) == 1
    assert capsys.readouterr().err == "Nothing has been sealed yet; the log has 1 events\n"


async def test_untrusted_seals_are_reported(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    await seal(database.sealer, seals.folder, every=1, up_to=1, key=OTHER_KEY)
    with pytest.raises(
        ProjectionStopped, match=r"cannot be trusted .not signed by fleetlog.; run audit verify"
    ):
        await export(database.sealer, seals, KEY, "ONE")
    add_unsigned(seals.folder, 2)
    capsys.readouterr()
    assert await verify(database.sealer, seals, KEY) == 1
    assert "THE LOG DOES NOT MATCH ITS SEALS: a checkpoint cannot be trusted" in capsys.readouterr().out


def test_missing_and_invalid_keys_are_reported(key_file: Path) -> None:
    require_seals()
    key_file.write_text("no key")
    with pytest.raises(ProjectionStopped, match=r"key\.pem is no Ed25519 private key in PEM"):
        require_seals()
    key_file.unlink()
    with pytest.raises(ProjectionStopped, match=r"cannot read the key .*key\.pem: No such file or directory"):
        require_seals()


@pytest.mark.parametrize("words", [["verify"], ["export", "ONE"], ["run"]])
def test_expected_errors_are_one_line(database: Database, key_file: Path, words: list[str]) -> None:
    key_file.unlink()
    done = run(database, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Not possible: cannot read the key {key_file}: No such file or directory\n"
