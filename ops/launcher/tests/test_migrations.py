"""Migrations: results, compatible revisions, concurrent requests, and refusals."""

import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.base.database import schema
from ops.base.records.entities import ENTITY_TYPES
from ops.launcher.errors import LauncherError
from ops.launcher.migrations.runner import migrate
from ops.launcher.migrations.scripts import Release, Script, this_release
from ops.testing.conditions import wait_for
from ops.testing.postgres import Database, PostgresServer

pytestmark = pytest.mark.integration


RELEASE = this_release()
NEWEST = RELEASE.scripts[-1].name[:4]
LONGEST_SECONDS = 20.0
"""The longest wait of a request during a migration: twice half a second, on a busy machine."""
APPEND = """
SELECT * FROM log.append(
  NULL, ARRAY[%s]::uuid[], '{NULL}', '{NULL}', '{1}', ARRAY[%s], '{1}', '{topic}', ARRAY[''::bytea]
)
"""


def with_script(statement: str) -> Release:
    """Return the release with one more script."""
    return replace(RELEASE, scripts=(*RELEASE.scripts, Script("9000_test", statement)))


def names(scripts: Iterable[Script]) -> list[str]:
    return [script.name for script in scripts]


def impatient(dsn: str, *, seconds: int) -> str:
    """Return a DSN with a timeout of statements, so that a failing test does not hang."""
    return make_conninfo(dsn, options=f"-c statement_timeout={seconds}s")


class Traffic:
    """A client that repeats a request, and records the longest duration."""

    def __init__(self, dsn: str, request: Callable[[psycopg.Connection], object]) -> None:
        self._ending = threading.Event()
        self._dsn, self._request = dsn, request
        self.count, self.longest, self.error = 0, 0.0, ""
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Traffic":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        with psycopg.connect(impatient(self._dsn, seconds=60), autocommit=True) as connection:
            while not self._ending.is_set():
                began = time.monotonic()
                try:
                    self._request(connection)
                except psycopg.Error as error:
                    self.error = str(error)
                    return
                self.longest = max(self.longest, time.monotonic() - began)
                self.count += 1


def appends(connection: psycopg.Connection) -> None:
    connection.execute(APPEND, [uuid.uuid4(), uuid.uuid4().hex])


def traffic_on(database: Database) -> list[Traffic]:
    """Return continuous requests of three services."""
    return [
        Traffic(database.command, appends),
        Traffic(database.query, lambda one: one.execute("SELECT head.position FROM log.head, read.drivers")),
        Traffic(
            database.projections,
            lambda one: one.execute("SELECT log_id, topic FROM log.identity, log.events LIMIT 9"),
        ),
    ]


def wait_for_more(traffic: list[Traffic]) -> None:
    """Wait until each client has sent another request, or failed."""
    done = [one.count for one in traffic]
    wait_for(lambda: all(one.error or one.count > before for one, before in zip(traffic, done, strict=True)))


def test_services_know_the_newest_script_and_each_has_its_row(database: Database) -> None:
    assert schema.REVISION == NEWEST
    with psycopg.connect(database.owner) as connection:
        output = connection.execute("SELECT revision FROM log.schema_revisions ORDER BY revision").fetchall()
    assert [revision for (revision,) in output] == [one.name[:4] for one in RELEASE.scripts]


def test_a_script_without_its_lock_yields_and_has_no_effect(
    database: Database,
) -> None:
    release = with_script("CREATE TABLE log.made (); ALTER TABLE log.events ADD COLUMN added text")
    with psycopg.connect(database.owner) as reader, ExitStack() as running:
        reader.execute("SELECT count(*) FROM log.events")  # a transaction that does not end
        traffic = [running.enter_context(one) for one in traffic_on(database)]
        wait_for_more(traffic)
        with pytest.raises(LauncherError, match=r"waits for a lock.* role fleetlog.*had no effect"):
            migrate(impatient(database.owner, seconds=60), release=release, tries=2)
    assert [one.error for one in traffic] == [""] * 3
    assert max(one.longest for one in traffic) < LONGEST_SECONDS
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT to_regclass('log.made')").fetchone() == (None,)
    assert migrate(database.owner, release=release) == ["9000_test"]


def test_a_release_can_be_reverted_while_the_later_schema_is_compatible(database: Database) -> None:
    script = f"INSERT INTO log.schema_revisions VALUES ('9000', '{NEWEST}')"  # noqa: S608 - a constant
    assert migrate(database.owner, release=with_script(script)) == ["9000_test"]
    assert migrate(database.owner) == []
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.schema_revisions SET serves_from = revision")
    with pytest.raises(LauncherError, match="revision 9000, which this version does not know"):
        migrate(database.owner)


def stopping(text: str) -> Script:
    """Return the function `log.stop` with another text."""
    (there,) = [one for one in RELEASE.functions if one.name == "projections/stop_log"]
    return replace(there, text=there.text.replace("stopped = reason", f"stopped = '{text}' || reason"))


def with_function(release: Release, function: Script) -> Release:
    others = [one for one in release.functions if one.name != function.name]
    return replace(release, functions=(*others, function))


def stopped(database: Database) -> str:
    """Stop the log as a service, and return the recorded reason."""
    with psycopg.connect(database.relay) as connection:
        connection.execute("SELECT log.stop('it is')")
        found = connection.execute("SELECT stopped FROM log.identity").fetchall()
        connection.rollback()
    return str(found[0][0])


def test_a_changed_function_is_replaced_and_keeps_its_rights(database: Database) -> None:
    assert migrate(database.owner, release=with_function(RELEASE, stopping("new: "))) == [
        "projections/stop_log"
    ]
    assert stopped(database) == "new: it is"
    # The former release of the same revision restores its own function.
    assert migrate(database.owner) == ["projections/stop_log"]
    assert stopped(database) == "it is"


def test_functions_of_a_later_schema_are_not_replaced(database: Database) -> None:
    script = f"INSERT INTO log.schema_revisions VALUES ('9000', '{NEWEST}')"  # noqa: S608 - a constant
    later = with_function(with_script(script), stopping("later: "))
    with ExitStack() as running:
        traffic = [running.enter_context(one) for one in traffic_on(database)]
        wait_for_more(traffic)
        assert migrate(database.owner, release=later) == ["9000_test", "projections/stop_log"]
        wait_for_more(traffic)
        assert migrate(database.owner) == [], "services of both releases may be running"
        wait_for_more(traffic)
    assert [one.error for one in traffic] == [""] * 3
    assert stopped(database) == "later: it is"


def test_a_missing_package_prevents_migration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ops.launcher.migrations.scripts._CALLERS", ("command_api", "no_such_package"))
    with pytest.raises(LauncherError, match="functions of no_such_package, which is not installed"):
        this_release.__wrapped__()


def test_functions_and_the_last_script_share_a_transaction(database: Database) -> None:
    later = with_function(with_script("CREATE TABLE log.made ()"), Script("broken", "SELECT 1 / 0"))
    with pytest.raises(LauncherError, match="division by zero"):
        migrate(database.owner, release=later)
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT to_regclass('log.made')").fetchone() == (None,)


def test_a_changed_script_is_refused(database: Database) -> None:
    first, *others = RELEASE.scripts
    changed = replace(RELEASE, scripts=(replace(first, text="-- " + first.text), *others))
    with pytest.raises(LauncherError, match="another development commit made this database: its script 0001"):
        migrate(database.owner, release=changed)


def test_a_database_older_than_the_baseline_is_refused(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "UPDATE fleetlog_migrations SET name = '0001_event_store' WHERE name = '0001_baseline'"
        )
    with pytest.raises(LauncherError, match="another development commit made this database, before"):
        migrate(database.owner)


def test_an_owner_without_superuser_rights_migrates_with_a_warning(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE modest LOGIN CREATEROLE PASSWORD 'secret'")
        for (group,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fleetlog\\__%'"):
            connection.execute(sql.SQL("GRANT {} TO modest").format(sql.Identifier(group)))
        connection.execute("CREATE DATABASE modest OWNER modest")
        try:
            owner = make_conninfo(postgres.dsn, dbname="modest", user="modest", password="secret")
            assert migrate(owner) == names([*RELEASE.scripts, *RELEASE.functions])
            assert "advisory locks" in capsys.readouterr().err
            with psycopg.connect(owner, autocommit=True) as modest:
                appends(modest)
                assert modest.execute("SELECT position FROM log.head").fetchone() == (1,)
        finally:
            connection.execute("DROP DATABASE modest WITH (FORCE)")
            connection.execute("DROP OWNED BY modest; DROP ROLE modest")


MADE = "made"
DESCRIBED = """
SELECT 'column',
  concat_ws(' ', attname, format_type(atttypid, atttypmod), attcollation, attnotnull, attstattarget)
FROM pg_attribute WHERE attrelid = %(table)s::regclass AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'index', pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %(table)s::regclass
UNION ALL
SELECT 'constraint', conname || ' ' || pg_get_constraintdef(oid)
FROM pg_constraint WHERE conrelid = %(table)s::regclass AND contype <> 'n'
UNION ALL
SELECT 'table', concat_ws(' ', relowner::regrole, relkind, relpersistence, reloptions, relrowsecurity)
FROM pg_class WHERE oid = %(table)s::regclass
UNION ALL
SELECT 'right', concat_ws(' ', grantee::regrole, privilege_type, is_grantable)
FROM pg_class CROSS JOIN aclexplode(relacl) WHERE pg_class.oid = %(table)s::regclass
UNION ALL
SELECT 'right', concat_ws(' ', attname, grantee::regrole, privilege_type, is_grantable)
FROM pg_attribute CROSS JOIN aclexplode(attacl) WHERE attrelid = %(table)s::regclass
"""


def described(connection: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    """Describe a table, without its name, and without indexes and rights of single entity types."""
    rows = connection.execute(DESCRIBED, {"table": f"read.{table}"}).fetchall()
    own = ("split_part", "fleetlog_notifier", "read.assigned_")
    texts = [(kind, text) for kind, text in rows if not any(one in text for one in own)]
    return sorted((kind, text.replace(table, "TABLE")) for kind, text in texts)


def test_a_new_entity_type_gets_the_tables_of_the_others(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("SELECT read.create_entity_table(%s)", [MADE])
        made = described(connection, MADE)
        searched = described(connection, f"{MADE}_search")
        for entity in ENTITY_TYPES:
            assert described(connection, entity.collection) == made, entity.collection
            assert described(connection, f"{entity.collection}_search") == searched, entity.collection
    assert ("right", "fleetlog_reader SELECT f") in made
    assert ("table", "fleetlog_projector r u f") in searched


def test_each_database_has_its_own_log_id(postgres: PostgresServer, database: Database) -> None:
    other = postgres.create_database()
    ids = []
    for dsn in (database.command, other.command):
        with psycopg.connect(dsn) as connection:
            ids.append(connection.execute("SELECT log_id FROM log.identity").fetchone())
    postgres.drop_database(other)
    assert ids[0] != ids[1]


def test_a_schema_of_another_application_is_refused_and_not_changed(
    postgres: PostgresServer, database: Database
) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("DROP TABLE fleetlog_migrations")
    with pytest.raises(LauncherError, match="schema log of another application"):
        migrate(database.owner)
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT to_regclass('fleetlog_migrations')").fetchone() == (None,)
