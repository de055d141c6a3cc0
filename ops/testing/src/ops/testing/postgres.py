"""A throw-away PostgreSQL server for a test session, and migrated databases in it."""

import contextlib
import itertools
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.keys.groups import KEY_GROUPS
from ops.launcher.keys.preparing import prepare_keys_database
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import SUPERUSER, THROW_AWAY, Cluster
from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles
from ops.launcher.postgres.server import answers, client_environment, ensure_database, superuser_dsn
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent
from ops.testing.folders import open_folder

_TEMPLATE = "fleetlog_template"
_SETTINGS = {**THROW_AWAY, "scram_iterations": "1"}
"""Hashing passwords would take most of the time of a connection."""
_START_SECONDS = 90


@dataclass(frozen=True)
class Database:
    """A migrated, empty database of one's own, with the services' login roles.

    Attributes:
        name: of the database.
        owner: DSN of the superuser.
        command: DSN of the role with the command API's rights.
        projections: DSN of the role with the projection worker's rights.
        query: DSN of the role with the query API's rights.
        relay: DSN of the role with the relay's rights.
        sealer: DSN of the role with the rights of a projection worker that also seals.
    """

    name: str
    owner: str
    command: str
    projections: str
    query: str
    relay: str
    sealer: str


@dataclass(frozen=True)
class KeysDatabase:
    """An empty database for keys, with its login roles.

    Attributes:
        name: of the database.
        owner: DSN of the superuser.
        user: DSN of the role of those who seal and open.
        eraser: DSN of the role of who erases.
    """

    name: str
    owner: str
    user: str
    eraser: str


class PostgresServer:
    """A server whose data may be lost at any time (no fsync).

    Attributes:
        dsn: DSN of the superuser, to the database `postgres`.
        process: the postmaster.
        cluster: what it serves.
    """

    def __init__(self, folder: Path) -> None:
        """Create a cluster below `folder`, which the server's account must be able to enter, and start it."""
        account = server_account()
        self.cluster = Cluster(folder / "postgres", find_binaries(account), account)
        self._password = secrets.token_urlsafe()
        self.cluster.create(self._password)
        self._log = folder / "postgres.log"
        self._port = free_port()
        self._names = itertools.count(1)
        self.dsn = superuser_dsn(self._port, self._password)
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                tied_to_parent(self.cluster.command(self._port, _SETTINGS), signal.SIGQUIT),
                cwd="/",
                env=self.cluster.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **account.popen_options(),
            )
        self._wait()
        with psycopg.connect(self.dsn) as connection:  # initdb's verifier has the usual number of iterations
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(statement.format(sql.Identifier(SUPERUSER), sql.Literal(self._password)))
        self._prepare_template()

    def clients(self) -> dict[str, str]:
        """Return the environment in which a client program reaches it; see `client_environment`."""
        return client_environment(self.dsn)

    def create_database(self) -> Database:
        """A new database; made by copying a migrated template: its files, for nothing here need survive."""
        name = f"test_{next(self._names)}"
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                    sql.Identifier(name), sql.Identifier(_TEMPLATE)
                )
            )
        owner = superuser_dsn(self._port, self._password, name)
        with psycopg.connect(owner) as connection:
            # a copy must not pass for the log it was copied from
            connection.execute("UPDATE log.identity SET log_id = replace(gen_random_uuid()::text, '-', '')")
        passwords = {service: secrets.token_urlsafe() for service in SERVICE_GROUPS}
        return Database(name=name, owner=owner, **ensure_login_roles(owner, passwords))

    def create_keys_database(self) -> KeysDatabase:
        """A new database for keys, bound to a log that no test has."""
        name = f"test_{next(self._names)}"
        ensure_database(self.dsn, name)
        owner = superuser_dsn(self._port, self._password, name)
        passwords = {role: secrets.token_urlsafe() for role in KEY_GROUPS}
        database = KeysDatabase(name=name, owner=owner, **prepare_keys_database(owner, passwords))
        with psycopg.connect(owner) as connection:
            connection.execute("INSERT INTO keys.logs VALUES ('test', 0)")
        return database

    def drop_database(self, database: Database | KeysDatabase) -> None:
        """Drop a database and its roles, ending whatever is connected to it."""
        roles = SERVICE_GROUPS if isinstance(database, Database) else KEY_GROUPS
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database.name)))
            for service in roles:
                connection.execute(
                    sql.SQL("DROP ROLE {}").format(sql.Identifier(f"{database.name}_{service}"))
                )

    def stop(self) -> None:
        """Stop at once, keeping nothing."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(timeout=60)

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not answers(self.dsn):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {self._log.read_text()[-2000:]}")
            time.sleep(0.02)

    def _prepare_template(self) -> None:
        ensure_database(self.dsn, _TEMPLATE)
        migrate(make_conninfo(self.dsn, dbname=_TEMPLATE))


@contextlib.contextmanager
def throw_away_postgres() -> Iterator[PostgresServer]:
    """A server in a temporary folder, which is removed at the end."""
    with open_folder() as folder:
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            server.stop()


def is_sleeping(connection: psycopg.Connection, pid: int) -> bool:
    """Return whether a server process is within `pg_sleep`.

    A cancellation that comes before its statement has begun is void, so what cancels one waits for this.
    """
    row = connection.execute(
        "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = %s", (pid,)
    ).fetchone()
    return bool(row and row[0])
