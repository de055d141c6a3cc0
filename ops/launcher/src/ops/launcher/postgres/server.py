"""A running server, seen from a client; and PostgreSQL's client programs, run against the embedded one."""

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
_AUTHENTICATE = b"R"


def superuser_dsn(port: int, password: str, database: str = "postgres") -> str:
    """DSN of the embedded server's superuser."""
    values = {"host": "127.0.0.1", "port": port, "user": SUPERUSER, "password": password, "dbname": database}
    quoted = {name: str(value).replace("\\", r"\\").replace("'", r"\'") for name, value in values.items()}
    return " ".join(f"{name}='{value}'" for name, value in {**quoted, "connect_timeout": 5}.items())


def takes_sessions(port: int) -> bool:
    """Whether the server begins a session now: it asks who we are, and does not say that it is starting."""
    wanted = b"user\0%b\0\0" % SUPERUSER.encode()
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
        connection.sendall(struct.pack("!ii", 8 + len(wanted), _PROTOCOL) + wanted)
        return connection.recv(1) == _AUTHENTICATE
    return False


def answers(dsn: str, question: LiteralString = "SELECT true") -> bool:
    """Whether the server accepts this DSN now, and answers a question with yes."""
    import psycopg  # noqa: PLC0415 - the launcher does without

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
    import psycopg  # noqa: PLC0415 - as above
    from psycopg import sql  # noqa: PLC0415

    with psycopg.connect(maintenance_dsn, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def client_environment(dsn: str) -> dict[str, str]:
    """The environment in which a client program reaches what a DSN names, but for the database."""
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
    """Run a client program to its end.

    Args:
        command: its command line.
        environment: see `client_environment`.
        shown: whether what it tells is shown to the user as it comes, if there is a terminal.

    Raises:
        LauncherError: it failed; the text is the last error that it told, or the last thing it said.
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
        said = done.stderr or f"{Path(command[0]).name} failed"
        # After an error it tells what it clears away.
        errors = [line for line in said.splitlines() if "error: " in line]
        raise LauncherError(errors[-1] if errors else last_line(said))
