"""Connections to a server, and PostgreSQL's client programs."""

import contextlib
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import LiteralString

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.cluster import SUPERUSER
from ops.launcher.programs import last_line

_PROTOCOL = 3 << 16
_AUTHENTICATION_REQUEST = b"R"


def superuser_dsn(port: int, password: str, database: str = "postgres") -> str:
    """Return the DSN of the embedded server's superuser."""
    values = {"host": "127.0.0.1", "port": port, "user": SUPERUSER, "password": password, "dbname": database}
    quoted = {name: str(value).replace("\\", r"\\").replace("'", r"\'") for name, value in values.items()}
    return " ".join(f"{name}='{value}'" for name, value in {**quoted, "connect_timeout": 5}.items())


def accepts_sessions(port: int) -> bool:
    """Return whether the server answers a startup message with an authentication request."""
    wanted = b"user\0%b\0\0" % SUPERUSER.encode()
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
        connection.sendall(struct.pack("!ii", 8 + len(wanted), _PROTOCOL) + wanted)
        return connection.recv(1) == _AUTHENTICATION_REQUEST
    return False


def answers(dsn: str, query: LiteralString = "SELECT true") -> bool:
    """Return whether the server accepts the DSN and a query returns true."""
    import psycopg  # noqa: PLC0415 - the launcher itself does not load it

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
    import psycopg  # noqa: PLC0415 - as above
    from psycopg import sql  # noqa: PLC0415

    with psycopg.connect(maintenance_dsn, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def client_environment(dsn: str) -> dict[str, str]:
    """Return an environment in which client programs connect to a DSN's server."""
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - as above

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
