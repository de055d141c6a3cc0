"""A throw-away PostgreSQL server for a test session, and migrated databases in it."""

import contextlib
import itertools
import secrets
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.keys.schema import prepare_keys_database
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import SERVER_ENVIRONMENT, SUPERUSER, THROW_AWAY, Cluster
from ops.launcher.postgres.groups import KEY_GROUPS, SERVICE_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles
from ops.launcher.postgres.server import answers, client_environment, ensure_database, superuser_dsn
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder

_TEMPLATE = "fleetlog_template"
_SETTINGS = {**THROW_AWAY, "scram_iterations": "1"}
"""Hashing passwords would take most of the time of a connection."""


@dataclass(frozen=True)
class Database:
    """A migrated, empty database and the DSNs of its login roles.

    Attributes:
        owner: the superuser.
        command: the command API.
        projections: the projection worker.
        query: the query API.
        notify: the notifier.
        relay: the relay.
        sealer: a projection worker that also seals.
    """

    name: str
    owner: str
    command: str
    projections: str
    query: str
    notify: str
    relay: str
    sealer: str


@dataclass(frozen=True)
class KeysDatabase:
    """An empty database for encryption keys and the DSNs of its login roles.

    Attributes:
        owner: the superuser.
        user: the services that encrypt and decrypt.
        eraser: the worker that erases keys.
    """

    name: str
    owner: str
    user: str
    eraser: str


def start_server(
    cluster: Cluster, port: int, dsn: str, log: Path, settings: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Start a cluster's server, and return its process when the server accepts connections at a DSN.

    Raises:
        RuntimeError: it did not start; the text is the end of its log.
    """
    with log.open("ab") as output:
        process = start_process(
            cluster.command(port, settings),
            SERVER_ENVIRONMENT,
            output,
            stop_signal=signal.SIGQUIT,
            cwd="/",
            **cluster.account.popen_options(),
        )
    wait_for(lambda: process.poll() is not None or answers(dsn), failure=log.read_text)
    if process.poll() is not None:
        raise RuntimeError(f"PostgreSQL did not start: {log.read_text()[-2000:]}")
    return process


def stop_server(process: subprocess.Popen[bytes]) -> None:
    """Stop a server at once; it writes nothing more."""
    process.send_signal(signal.SIGQUIT)
    process.wait(timeout=60)


class PostgresServer:
    """A server without fsync, whose data may be lost at any time.

    Attributes:
        dsn: DSN of the superuser, to the database `postgres`.
        process: the postmaster.
    """

    def __init__(self, folder: Path) -> None:
        """Create a cluster below a folder that the server's account can enter, and start its server."""
        account = server_account()
        self.cluster = Cluster(folder / "postgres", find_binaries(account), account)
        self._password = secrets.token_urlsafe()
        self.cluster.create(self._password)
        self._port = free_port()
        self._names = itertools.count(1)
        self.dsn = superuser_dsn(self._port, self._password)
        self._log = folder / "postgres.log"
        self.process = self._start()
        with psycopg.connect(self.dsn) as connection:  # initdb's verifier has the usual number of iterations
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(statement.format(sql.Identifier(SUPERUSER), sql.Literal(self._password)))
        ensure_database(self.dsn, _TEMPLATE)
        migrate(make_conninfo(self.dsn, dbname=_TEMPLATE))

    def crash(self) -> None:
        """Stop the server as a crash does, and start it again."""
        stop_server(self.process)
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        return start_server(self.cluster, self._port, self.dsn, self._log, _SETTINGS)

    def clients(self) -> dict[str, str]:
        """Return the environment in which a client program reaches the server."""
        return client_environment(self.dsn)

    def create_database(self) -> Database:
        """Create a database by copying the files of a migrated template."""
        name = f"test_{next(self._names)}"
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                    sql.Identifier(name), sql.Identifier(_TEMPLATE)
                )
            )
        owner = superuser_dsn(self._port, self._password, name)
        with psycopg.connect(owner) as connection:
            # A copy of a log must have an id of its own.
            connection.execute("UPDATE log.identity SET log_id = replace(gen_random_uuid()::text, '-', '')")
        passwords = {service: secrets.token_urlsafe() for service in SERVICE_GROUPS}
        return Database(name=name, owner=owner, **ensure_login_roles(owner, passwords))

    def create_keys_database(self) -> KeysDatabase:
        """Create a database for keys, bound to a log that does not exist."""
        name = f"test_{next(self._names)}"
        ensure_database(self.dsn, name)
        owner = superuser_dsn(self._port, self._password, name)
        passwords = {role: secrets.token_urlsafe() for role in KEY_GROUPS}
        database = KeysDatabase(name=name, owner=owner, **prepare_keys_database(owner, passwords))
        with psycopg.connect(owner) as connection:
            connection.execute("INSERT INTO keys.logs VALUES ('test', 0)")
        return database

    def drop_database(self, database: Database | KeysDatabase) -> None:
        """Drop a database and its roles, and end the sessions in it."""
        roles = SERVICE_GROUPS if isinstance(database, Database) else KEY_GROUPS
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database.name)))
            for service in roles:
                connection.execute(
                    sql.SQL("DROP ROLE {}").format(sql.Identifier(f"{database.name}_{service}"))
                )


@contextlib.contextmanager
def throw_away_postgres() -> Iterator[PostgresServer]:
    """Run a server in a temporary folder, and remove both at the end."""
    with open_folder() as folder:
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            stop_server(server.process)


def is_sleeping(connection: psycopg.Connection, pid: int) -> bool:
    """Return whether a server process executes `pg_sleep`.

    A cancellation that arrives before its statement has begun has no effect; tests wait for this first.
    """
    row = connection.execute(
        "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = %s", (pid,)
    ).fetchone()
    return bool(row and row[0])
