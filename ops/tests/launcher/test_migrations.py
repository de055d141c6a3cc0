"""Migrations: what they make, from which revisions, by whom, and what they refuse."""

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.base import schema
from ops.base.entities import ENTITY_TYPES
from ops.launcher.errors import LauncherError
from ops.launcher.migrations.runner import migrate
from ops.launcher.migrations.scripts import VERSIONS, scripts
from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles
from ops.launcher.postgres.server import ensure_database
from ops.testing.postgres import Database, PostgresServer
from ops.testing.waiting import wait_for

pytestmark = pytest.mark.integration


NEWEST = scripts()[-1][0]
FORMER = "0008"
"""The newest revision of the former release."""
LONGEST_SECONDS = 20.0
"""What a request may have to wait while the schema changes: half a second twice, on a busy machine."""
APPEND = "SELECT * FROM log.append(ARRAY[%s]::uuid[], '{1}', ARRAY[%s], '{1}', '{topic}', ARRAY[''::bytea])"


@pytest.fixture
def of_former_release(postgres: PostgresServer, tmp_path: Path) -> Iterator[Database]:
    """A database as the former release leaves it."""
    former = tmp_path / "former"
    former.mkdir()
    for revision, script in scripts():
        if revision <= FORMER:
            shutil.copy(script, former)
    ensure_database(postgres.dsn, "former")
    owner = make_conninfo(postgres.dsn, dbname="former")
    migrate(owner, versions=former)
    dsns = ensure_login_roles(owner, dict.fromkeys(SERVICE_GROUPS, "secret"))
    database = Database(name="former", owner=owner, **dsns)
    yield database
    postgres.drop_database(database)


def with_script(folder: Path, statement: str) -> Path:
    """The scripts there are, and one more after them."""
    shutil.copytree(VERSIONS, folder)
    (folder / "9000_test.sql").write_text(statement)
    return folder


def impatient(dsn: str, *, seconds: int) -> str:
    """Where a test that fails is not to hang."""
    return make_conninfo(dsn, options=f"-c statement_timeout={seconds}s")


class Traffic:
    """Somebody who does something again and again, and notes how long it takes at most."""

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
    """What the services of the former release do all the time."""
    return [
        Traffic(database.command, appends),
        Traffic(database.query, lambda one: one.execute("SELECT head.position FROM log.head, read.drivers")),
        Traffic(
            database.projections,
            lambda one: one.execute("SELECT log_id, topic FROM log.identity, log.events LIMIT 9"),
        ),
    ]


def wait_for_more(traffic: list[Traffic]) -> None:
    """Wait until everybody has done something once more, or cannot."""
    done = [one.count for one in traffic]
    wait_for(lambda: all(one.error or one.count > before for one, before in zip(traffic, done, strict=True)))


def test_the_services_know_the_newest_script_and_each_script_says_whom_it_serves(database: Database) -> None:
    assert schema.REVISION == NEWEST
    with psycopg.connect(database.owner) as connection:
        output = connection.execute("SELECT revision FROM log.schema_revisions ORDER BY revision").fetchall()
    assert [revision for (revision,) in output] == [name for name, _ in scripts() if name >= "0007"]


def test_the_new_scripts_run_while_the_former_release_is_at_work(of_former_release: Database) -> None:
    with ExitStack() as running:
        traffic = [running.enter_context(one) for one in traffic_on(of_former_release)]
        wait_for_more(traffic)
        assert migrate(of_former_release.owner) == [name for name, _ in scripts() if name > FORMER]
        wait_for_more(traffic)
    print([(one.count, round(one.longest, 2)) for one in traffic])
    assert [one.error for one in traffic] == [""] * 3
    assert max(one.longest for one in traffic) < LONGEST_SECONDS


def test_a_script_that_cannot_get_its_lock_gives_way_and_leaves_nothing_behind(
    database: Database, tmp_path: Path
) -> None:
    script = "CREATE TABLE log.made (); ALTER TABLE log.events ADD COLUMN added text"
    versions = with_script(tmp_path / "versions", script)
    with psycopg.connect(database.owner) as reader, ExitStack() as running:
        reader.execute("SELECT count(*) FROM log.events")  # a transaction that does not end
        traffic = [running.enter_context(one) for one in traffic_on(database)]
        wait_for_more(traffic)
        with pytest.raises(LauncherError, match=r"waits for a lock .* role fleetlog.* nothing of it"):
            migrate(impatient(database.owner, seconds=60), versions=versions, tries=2)
    assert [one.error for one in traffic] == [""] * 3
    assert max(one.longest for one in traffic) < LONGEST_SECONDS
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT to_regclass('log.made')").fetchone() == (None,)
    assert migrate(database.owner, versions=versions) == ["9000"]


def test_a_release_may_be_taken_back_where_the_later_schema_still_serves_it(
    database: Database, tmp_path: Path
) -> None:
    script = f"INSERT INTO log.schema_revisions VALUES ('9000', '{NEWEST}')"  # noqa: S608 - a constant
    assert migrate(database.owner, versions=with_script(tmp_path / "versions", script)) == ["9000"]
    assert migrate(database.owner) == []
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.schema_revisions SET serves_from = revision")
    with pytest.raises(LauncherError, match="revision 9000, which this version does not know"):
        migrate(database.owner)


def test_an_owner_that_is_no_superuser_migrates_and_is_warned_of_what_it_cannot_see_to(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE modest LOGIN CREATEROLE PASSWORD 'secret'")
        for (group,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fleetlog\\__%'"):
            connection.execute(sql.SQL("GRANT {} TO modest").format(sql.Identifier(group)))
        connection.execute("CREATE DATABASE modest OWNER modest")
        try:
            owner = make_conninfo(postgres.dsn, dbname="modest", user="modest", password="secret")
            assert migrate(owner) == [name for name, _ in scripts()]
            assert "advisory locks" in capsys.readouterr().err
            with psycopg.connect(owner, autocommit=True) as modest:
                appends(modest)
                assert modest.execute("SELECT position FROM log.head").fetchone() == (1,)
        finally:
            connection.execute("DROP DATABASE modest WITH (FORCE)")
            connection.execute("DROP OWNED BY modest; DROP ROLE modest")


MADE = "made"
DESCRIBED = """
SELECT 'column', concat_ws(
  ' ', attname, format_type(atttypid, atttypmod), attcollation, attnotnull, attstattarget, attacl
)
FROM pg_attribute WHERE attrelid = %(table)s::regclass AND attnum > 0
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
"""


def described(connection: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    """All that there is of a table, but for its name."""
    rows = connection.execute(DESCRIBED, {"table": f"read.{table}"}).fetchall()
    return sorted((kind, text.replace(table, "TABLE")) for kind, text in rows)


def test_the_call_makes_what_the_earlier_migrations_made(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("SELECT read.create_entity_table(%s)", [MADE])
        made = described(connection, MADE)
        for entity in ENTITY_TYPES:
            assert described(connection, entity.collection) == made, entity.collection
    assert ("right", "fleetlog_reader SELECT f") in made


def test_no_service_may_call_it(database: Database) -> None:
    for role in (database.command, database.projections, database.query, database.relay, database.sealer):
        with psycopg.connect(role) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT read.create_entity_table(%s)", [MADE])


def test_a_migrated_database_has_nothing_left_to_migrate(database: Database) -> None:
    assert migrate(database.owner) == []


def test_each_database_is_a_log_of_its_own(postgres: PostgresServer, database: Database) -> None:
    other = postgres.create_database()
    ids = []
    for dsn in (database.command, other.command):
        with psycopg.connect(dsn) as connection:
            ids.append(connection.execute("SELECT log_id FROM log.identity").fetchone())
    postgres.drop_database(other)
    assert ids[0] != ids[1]


def test_a_schema_from_the_future_is_refused(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(LauncherError, match="revision 9999"):
        migrate(database.owner)


def test_a_foreign_schema_is_refused_and_left_alone(postgres: PostgresServer, database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("DROP TABLE alembic_version")
    with pytest.raises(LauncherError, match="schema log that Fleetlog did not make"):
        migrate(database.owner)
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,)
