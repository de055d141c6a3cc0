import psycopg
import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.migrations.runner import migrate
from ops.testing.postgres import Database, PostgresServer

pytestmark = pytest.mark.integration


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
