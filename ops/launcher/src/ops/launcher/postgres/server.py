"""Connections to a server, and PostgreSQL's client programs."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.cluster import SUPERUSER
from ops.launcher.programs import last_line


def superuser_dsn(port: int, password: str, database: str = "postgres") -> str:
    """Return the DSN of the embedded server's superuser."""
    return make_conninfo(
        host="127.0.0.1", port=port, user=SUPERUSER, password=password, dbname=database, connect_timeout=5
    )


def accepts_sessions(port: int) -> bool:
    """Return whether the server accepts connections."""
    place = f"host=127.0.0.1 port={port} user={SUPERUSER} connect_timeout=3"
    return psycopg.pq.PGconn.ping(place.encode()) == psycopg.pq.Ping.OK


def answers(dsn: str, query: LiteralString = "SELECT true") -> bool:
    """Return whether the server accepts the DSN and a query returns true."""
    try:
        with psycopg.connect(dsn) as connection:
            return connection.execute(query).fetchone() == (True,)
    except psycopg.OperationalError:
        return False


def ensure_database(maintenance_dsn: str, name: str) -> None:
    """Create the database `name`, unless it exists.

    Args:
        maintenance_dsn: DSN of another database, for a role that may create databases.
    """
    with psycopg.connect(maintenance_dsn, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def client_environment(dsn: str) -> dict[str, str]:
    """Return an environment in which client programs connect to a DSN's server."""
    given = conninfo_to_dict(dsn)
    names = ("host", "port", "user", "password")
    return {
        "LC_ALL": "C",
        "PATH": os.defpath,
        "PGCONNECT_TIMEOUT": "10",
        **{f"PG{name.upper()}": str(given[name]) for name in names if name in given},
    }


def run_client(command: Sequence[str | Path], environment: dict[str, str], *, shown: bool = False) -> None:
    """Run a client program.

    Args:
        environment: see `client_environment`.
        shown: show the output on a terminal, if there is one.
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
        output = done.stderr or f"{Path(command[0]).name} failed"
        # Programs report their clean-up after the error.
        errors = [line for line in output.splitlines() if "error: " in line]
        raise LauncherError(errors[-1] if errors else last_line(output))
