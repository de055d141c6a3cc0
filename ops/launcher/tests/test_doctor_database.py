"""The doctor's checks of the database, each made to fail once."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import local_store
from ops.base.encryption.states import encrypt_state
from ops.launcher.backups.acceptance import newest_seal
from ops.launcher.doctor.checks import database as checks
from ops.launcher.doctor.checks.database import checkpoints, failing_checks, query, schema
from ops.launcher.doctor.checks.queries import QUERIES
from ops.launcher.doctor.checks.stores import keys
from ops.launcher.doctor.commands import IN_CONTAINERS
from ops.launcher.doctor.findings import Findings
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.keys.inventory import key_settings
from ops.testing.findings import found
from ops.testing.key_store_locations import create_local_store
from ops.testing.postgres import Database
from ops.testing.sealed_logs import add_unsigned

pytestmark = pytest.mark.integration
COMMANDS = IN_CONTAINERS


@pytest.fixture
def owner(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield connection


def add_event(owner: psycopg.Connection, *, ahead: str = "0 s") -> None:
    owner.execute(
        "INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)"
        " SELECT count(*) + 1, 'driver:a', count(*) + 1, 'x', '', clock_timestamp() + %s::interval"
        " FROM log.events",
        [ahead],
    )


def asked(owner: psycopg.Connection, check: str, **limits: object) -> Findings:
    """Return the findings of a query, with other limits maybe."""
    return query(owner, check, COMMANDS, limits)


def test_an_unreachable_database_is_reported_once() -> None:
    checked = checks.database("host=127.0.0.1 port=1", COMMANDS, seals=None)
    assert "does not answer" in found(checked, "wrong").what


def test_checks_need_rights_and_change_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    of_owner = list(checks.database(database.owner, COMMANDS, seals=None))
    of_worker = list(checks.database(database.projections, COMMANDS, seals=None))
    assert {*QUERIES, "schema", "alerts"} == {finding.check for finding in of_owner}
    assert {finding.check for finding in of_worker} < {finding.check for finding in of_owner}
    assert not [finding for finding in of_owner if "cannot be queried" in finding.what]
    monkeypatch.setitem(QUERIES, "log", "DELETE FROM log.identity RETURNING 'well', '', '{}'::text[]")
    refused = checks.database(database.owner, COMMANDS, seals=None)
    assert "ReadOnlySqlTransaction" in next(one.what for one in refused if one.check == "log")


def test_a_server_without_durability_or_utc_is_found(database: Database, owner: psycopg.Connection) -> None:
    findings = list(asked(owner, "database"))  # a throw-away server's
    assert {"fsync", "full_page_writes"} == {finding.what.split()[0] for finding in findings}
    assert {finding.level for finding in findings} == {"wrong"}
    owner.execute("SET timezone = 'Europe/Berlin'")
    assert any("Europe/Berlin" in finding.what for finding in asked(owner, "database"))
    for setting in ("fsync", "full_page_writes"):
        assert COMMANDS.sql(f"ALTER SYSTEM SET {setting} = on") in {one.commands[0] for one in findings}


def test_a_schema_that_is_too_old_too_new_or_missing_is_found(owner: psycopg.Connection) -> None:
    found(schema(owner, COMMANDS), "well")
    owner.execute("INSERT INTO log.schema_revisions VALUES ('9999', '9999')")
    assert "run a newer one" in found(schema(owner, COMMANDS), "wrong").what
    owner.execute("TRUNCATE log.schema_revisions; INSERT INTO log.schema_revisions VALUES ('0000', '')")
    assert "run migrate" in found(schema(owner, COMMANDS), "wrong").what
    owner.execute("DROP SCHEMA log CASCADE")
    assert found(schema(owner, COMMANDS), "wrong").commands == (COMMANDS.migrate,)


def test_a_stopped_log_and_a_log_in_the_future_are_found(owner: psycopg.Connection) -> None:
    found(asked(owner, "log"), "well")
    add_event(owner, ahead="1 h")
    assert found(asked(owner, "log"), "wrong").commands[-1] == COMMANDS.accept_moment
    owner.execute("SELECT log.stop('restored')")
    stopped = next(one for one in failing_checks(owner, COMMANDS) if one.commands == (COMMANDS.accept,))
    assert stopped.level == "wrong"
    assert stopped.what == (
        "FleetlogLogStopped: All requests are refused until an operator accepts the log: restored"
    )


def test_missing_seals_are_found(owner: psycopg.Connection, tmp_path: Path) -> None:
    def seals() -> Findings:
        return checkpoints(owner, COMMANDS, tmp_path)

    found(seals(), "well")
    add_event(owner)
    found(seals(), "well")
    owner.execute("INSERT INTO audit.checkpoints (size, note) VALUES (2, 'x')")
    assert "change nothing" in found(seals(), "wrong").what
    add_unsigned(tmp_path, 2)
    found(seals(), "well")


def test_a_seal_written_during_the_check_is_not_reported(
    owner: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def newest_just_before(folder: Path) -> int:
        newest = newest_seal(folder)
        add_unsigned(folder, 1)
        owner.execute("INSERT INTO audit.checkpoints (size, note) VALUES (1, 'x')")
        return newest

    add_event(owner)
    monkeypatch.setattr(checks, "newest_seal", newest_just_before)
    found(checkpoints(owner, COMMANDS, tmp_path), "well")


def test_unused_replication_slots_are_found(owner: psycopg.Connection) -> None:
    found(asked(owner, "write-ahead log"), "well")
    slot = "doctor_of_a_test"
    owner.execute("SELECT pg_create_physical_replication_slot(%s, true)", [slot])
    try:
        assert slot in found(asked(owner, "write-ahead log"), "warning").what
        add_event(owner)
        finding = found(asked(owner, "write-ahead log", kept=0), "wrong")
        assert any("pg_drop_replication_slot" in command and slot in command for command in finding.commands)
    finally:
        owner.execute("SELECT pg_drop_replication_slot(%s)", [slot])


def test_unknown_keys_of_events_are_found(
    database: Database, owner: psycopg.Connection, tmp_path: Path
) -> None:
    folder = DataFolder(tmp_path / "data").create()
    create_local_store(folder.keys)
    settings = key_settings(folder.keys)
    with closing(local_store(folder.keys)) as store:
        (kept,) = asyncio.run(store.issue(1))
    for key in (kept, Key.new()):
        add_event(owner)
        state = encrypt_state(b'{"details":{}}', b"{}", "driver:a", 1, key)
        owner.execute("UPDATE log.events SET state = %s WHERE state = ''", [state])
        last = list(keys(settings, database.owner, "ls", private=True))
        if key is kept:
            assert "the store has all keys up to position 1" in found(last, "well").what
    assert "lacks 1 of 2 keys" in found(last, "wrong").what


def test_read_tables_that_differ_from_revisions_are_found(owner: psycopg.Connection) -> None:
    owner.execute(
        "INSERT INTO read.positions SELECT unnest('{drivers,revisions}'::text[]), 3, 3, 1, NULL"
        " ON CONFLICT (projection) DO UPDATE SET position = 3"
    )
    owner.execute(
        "INSERT INTO read.revisions"
        " (position, entity, entity_id, version, type, moment, changes, public_event, state)"
        " SELECT number, 'driver', id, version, 'x', now(), '{}', '{}', state::json FROM (VALUES"
        " (1, 'a', 1, '{\"hired\": 1}'), (2, 'a', 2, '{\"hired\": 2}'), (3, 'b', 1, NULL)"
        ") AS known (number, id, version, state)"
    )
    for _ in range(3):
        add_event(owner)
    driver = (
        "INSERT INTO read.drivers (id, version, position, record, list_item) VALUES (%s, 1, %s, %s, '{}')"
    )
    assert "1 of 2 sampled records of drivers differ" in found(asked(owner, "read tables"), "wrong").what
    owner.execute(driver, ("a", 2, '{"hired": 1}'))  # as if the projection ignored a change
    different = found(asked(owner, "read tables"), "wrong")
    assert different.commands == ("docker compose exec worker python -m projections rebuild drivers --check",)
    owner.execute("UPDATE read.drivers SET record = '{\"hired\":2}'")
    assert found(asked(owner, "read tables"), "well").what == "2 sampled records equal their newest revision"
    owner.execute(driver, ("b", 3, "{}"))  # as if it ignored a removal
    found(asked(owner, "read tables"), "wrong")
    owner.execute("UPDATE read.positions SET position = 2 WHERE projection = 'revisions'")
    found(asked(owner, "read tables"), "well")  # while it lags, it cannot be compared
