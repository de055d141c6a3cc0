"""`verify` and `export` detect changes of a sealed log, and name their positions."""

import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from projections_testing.fleet import Fleet
from projections_testing.processes import run
from projections_testing.random_tampering import RandomTampering
from projections_testing.sealed_data import (
    KEY,
    AuditedCopy,
    Originals,
    append,
    endless_events,
    seal,
)

from ops.tamper_evidence.bundles import check_bundle
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from ops.testing.postgres import Database, PostgresServer
from ops.testing.soak import suite_and_soak
from projections.commands.audit import export, verify
from projections.failures import ProjectionStopped
from projections.workers.sealing.settings import require_seals
from projections.workers.verification.verification import Scope

pytestmark = pytest.mark.integration


EVENTS = 10_250
SEALED = 10_000
EVERY = 1_000
OLD = 6_300
"""The number of events in an old copy of the database."""

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
async def originals(
    postgres: PostgresServer, module_database: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Originals, AuditedCopy]]:
    """The originals, and an old copy."""
    originals = Originals(postgres, module_database, tmp_path_factory.mktemp("sealed") / "seals")
    events = endless_events()
    append(module_database.command, events, number=OLD)
    await seal(module_database.sealer, originals.seals, every=EVERY, up_to=OLD // EVERY * EVERY)
    with originals.copied() as old:
        append(module_database.command, events, number=EVENTS - OLD)
        await seal(module_database.sealer, originals.seals, every=EVERY, up_to=SEALED)
        yield originals, old


@pytest.fixture
def copy(originals: tuple[Originals, AuditedCopy]) -> Iterator[AuditedCopy]:
    with originals[0].copied() as copy:
        yield copy


@pytest.fixture
def old_copy(originals: tuple[Originals, AuditedCopy]) -> Iterator[AuditedCopy]:
    """An old copy of the database with the current seals."""
    with originals[0].copied(originals[1].name) as copy:
        yield copy


async def verified(copy: AuditedCopy, capsys: Capture, *kept: Path) -> tuple[int, str]:
    capsys.readouterr()
    status = await verify(copy.dsn, copy.seals, KEY, Scope(kept, log_only=True))
    return status, "".join(capsys.readouterr()).strip()


async def fault_of(copy: AuditedCopy, capsys: Capture, *kept: Path) -> str:
    status, reported = await verified(copy, capsys, *kept)
    assert status == 1
    return reported.removeprefix("THE LOG DOES NOT MATCH ITS SEALS: ")


async def test_untouched_copy_verifies(copy: AuditedCopy, capsys: Capture) -> None:
    status, reported = await verified(copy, capsys, copy.note(3_000))
    assert status == 0
    assert reported.startswith(
        f"{SEALED} of {EVENTS} events match their seals; those after position {SEALED}"
    )


async def test_a_log_that_was_never_sealed_is_reported(copy: AuditedCopy, capsys: Capture) -> None:
    copy.seals.folder.rename(copy.folder.with_suffix(".gone"))
    copy.tamper("DELETE FROM audit.checkpoints")
    assert await verified(copy, capsys) == (1, f"Nothing has been sealed yet; the log has {EVENTS} events")


CHANGED = "an event does not match its seal at position {}"
CUT_OFF = "the log ends before its last seal at position {}"
SET = "UPDATE log.events SET {} WHERE notification_id = 4321"
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


@pytest.mark.parametrize("column", ONE_BYTE)
async def test_one_changed_byte_of_any_column_is_detected(
    copy: AuditedCopy, capsys: Capture, column: str
) -> None:
    copy.tamper(SET.format(f"{column} = {ONE_BYTE[column]}"))
    fault = "an event is missing at position {}" if column == "notification_id" else CHANGED
    assert await fault_of(copy, capsys) == fault.format(4321)


def test_one_byte_cases_cover_all_columns(module_database: Database) -> None:
    with psycopg.connect(module_database.owner) as connection:
        rows = connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'log.events'::regclass AND attnum > 0"
        )
        assert {name for (name,) in rows} == ONE_BYTE.keys()


@pytest.mark.parametrize(
    ("fault", "statements"),
    [
        (
            "an event stands there twice or out of place at position 4321",
            [
                "ALTER TABLE log.events DROP CONSTRAINT events_pkey",
                "ALTER TABLE log.events DROP CONSTRAINT events_originator_id_originator_version_key",
                "ALTER TABLE log.events DROP CONSTRAINT events_command_id_key",
                "INSERT INTO log.events SELECT * FROM log.events WHERE notification_id = 4321",
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
                    " FROM log.events WHERE notification_id = 4321"
                ),
            ],
        ),
        (
            CHANGED.format(4321),
            ["ALTER TABLE log.events ALTER state DROP NOT NULL", SET.format("state = NULL")],
        ),
        (CHANGED.format(4321), [SET.format("command_id = NULL")]),
        (CHANGED.format(4321), [SET.format("moment = 'infinity'")]),
        (
            CHANGED.format(1),
            ["ALTER TABLE log.events ALTER state TYPE text USING encode(state, 'escape')"],
        ),
        (CUT_OFF.format(1), ["TRUNCATE log.events"]),
        (
            "a checkpoint is another log's at position 1000",
            ["UPDATE log.identity SET log_id = repeat('0', 32)"],
        ),
    ],
    ids=[
        *("repeated row", "row without a position", "row without a payload", "row without a command id"),
        *("infinite time", "another column type", "no rows", "another log id"),
    ],
)
async def test_changes_that_constraints_prevent_are_detected(
    copy: AuditedCopy, capsys: Capture, fault: str, statements: list[str]
) -> None:
    copy.tamper(*statements)
    assert await fault_of(copy, capsys) == fault


async def test_old_copy_of_the_database_is_detected(old_copy: AuditedCopy, capsys: Capture) -> None:
    assert await fault_of(old_copy, capsys) == CUT_OFF.format(OLD + 1)


async def test_continued_old_copy_is_detected(old_copy: AuditedCopy, capsys: Capture) -> None:
    old_copy.tamper(
        """
        INSERT INTO log.events
        SELECT %(old)s + number, 'driver:OTHER', number, 'driver.removed', '', clock_timestamp(), NULL
        FROM generate_series(1, %(more)s) AS number
        """,
        old=OLD,
        more=EVENTS - OLD,
    )
    assert await fault_of(old_copy, capsys) == CHANGED.format(OLD + 1)


async def test_checkpoint_stored_elsewhere_detects_a_complete_restore(
    old_copy: AuditedCopy, capsys: Capture, tmp_path: Path
) -> None:
    kept = old_copy.note(SEALED).rename(tmp_path / "kept.note")
    for size in range(OLD // EVERY * EVERY + EVERY, SEALED, EVERY):
        old_copy.note(size).unlink()
    hashes = old_copy.folder / "hashes"
    hashes.write_bytes(hashes.read_bytes()[: OLD // EVERY * EVERY * 32])
    assert (await verified(old_copy, capsys))[0] == 0  # so far it is only an older log
    fault = "the seals are not those of the checkpoint that was kept at position 10000"
    assert await fault_of(old_copy, capsys, kept) == fault


async def test_invalid_checkpoint_file_is_refused(copy: AuditedCopy, tmp_path: Path) -> None:
    with pytest.raises(ProjectionStopped, match=r"kept\.note cannot be read: FileNotFoundError"):
        await verify(copy.dsn, copy.seals, KEY, Scope([tmp_path / "kept.note"]))
    (tmp_path / "kept.note").write_text("")
    with pytest.raises(ProjectionStopped, match=r"kept\.note is not this instance's: not signed by fleetlog"):
        await verify(copy.dsn, copy.seals, KEY, Scope([tmp_path / "kept.note"]))


async def test_unreadable_log_is_reported_in_one_line(copy: AuditedCopy) -> None:
    copy.tamper("DELETE FROM log.identity")
    with pytest.raises(ProjectionStopped, match="the log has lost its id"):
        await verify(copy.dsn, copy.seals, KEY)
    copy.tamper("INSERT INTO log.identity (log_id) VALUES ('x')", "ALTER TABLE log.events RENAME TO gone")
    with pytest.raises(ProjectionStopped, match="the log's table cannot be read: UndefinedTable"):
        await verify(copy.dsn, copy.seals, KEY)


@pytest.mark.parametrize("times", suite_and_soak(5, 2_000, hours=4))
async def test_random_changes_are_detected(copy: AuditedCopy, capsys: Capture, times: int) -> None:
    seed = random.getrandbits(32)
    tampering = RandomTampering(copy, sealed=SEALED, every=EVERY, seed=seed)
    for _ in range(times):
        with tampering.tampered() as (done, position):
            fault = await fault_of(copy, capsys)
            assert fault.endswith(f" at position {position}"), f"{done}, seed {seed}: {fault}"
    assert (await verified(copy, capsys))[0] == 0


@pytest.fixture
def seals(tmp_path: Path) -> SealedLog:
    return SealedLog(tmp_path / "seals")


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of an instance whose settings are in the environment."""
    path = tmp_path / "key.pem"
    key = Ed25519PrivateKey.generate()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
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
    _, rows = check_bundle(exported.out, KEY.verifying_key)
    assert [row.topic.partition(".")[2] for row in rows] == [
        "registered",
        "details_changed",
        "removed",
        "registered",
    ]
    assert json.loads(rows[1].state)["changes"]["city"]["to"] == "Mysuru"


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
    with pytest.raises(ProjectionStopped, match="position 2 does not match its seal; run audit verify"):
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
    another = SigningKey("fleetlog", Ed25519PrivateKey.generate())
    await seal(database.sealer, seals.folder, every=1, up_to=1, key=another)
    with pytest.raises(
        ProjectionStopped, match=r"cannot be trusted .not signed by fleetlog.; run audit verify"
    ):
        await export(database.sealer, seals, KEY, "ONE")
    (seals.folder / "checkpoints/any.note").touch()
    capsys.readouterr()
    assert await verify(database.sealer, seals, KEY) == 1
    said = "THE LOG DOES NOT MATCH ITS SEALS: any.note is no checkpoint of ours\n"
    assert capsys.readouterr().out == said


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
