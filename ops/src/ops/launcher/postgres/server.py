"""A running server, seen from a client; and PostgreSQL's client programs, run against the embedded one."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.cluster import SUPERUSER
from ops.launcher.programs import last_line


def superuser_dsn(port: int, password: str, database: str = "postgres") -> str:
    """DSN of the embedded server's superuser."""
    return make_conninfo(
        host="127.0.0.1", port=port, user=SUPERUSER, password=password, dbname=database, connect_timeout=5
    )


def answers(dsn: str, question: LiteralString = "SELECT true") -> bool:
    """Whether the server accepts this DSN now, and answers a question with yes."""
    try:
        with psycopg.connect(dsn) as connection:
            return connection.execute(question).fetchone() == (True,)
    except psycopg.OperationalError:
        return False


def ensure_database(maintenance_dsn: str, name: str) -> None:
    """Make the database `name` if it is not there.

    Args:
        maintenance_dsn: DSN of a role that may create databases, to another database.
        name: of the wanted one.
    """
    with psycopg.connect(maintenance_dsn, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def client_environment(port: int, password: str) -> dict[str, str]:
    """The environment in which a client program reaches the embedded server, as its superuser."""
    return {
        "LC_ALL": "C",
        "PATH": os.defpath,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(port),
        "PGUSER": SUPERUSER,
        "PGPASSWORD": password,
        "PGCONNECT_TIMEOUT": "10",
    }


def run_client(command: Sequence[str | Path], environment: dict[str, str], *, shown: bool = False) -> None:
    """Run a client program to its end.

    Args:
        command: its command line.
        environment: see `client_environment`.
        shown: whether what it tells is shown to the user as it comes, if there is a terminal.

    Raises:
        LauncherError: it failed; the text is the last thing it said.
    """
    on_terminal = shown and sys.stderr.isatty()
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=None if on_terminal else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise LauncherError(last_line(done.stderr or f"{Path(command[0]).name} failed"))
