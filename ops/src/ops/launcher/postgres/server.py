"""A running server, seen from a client."""

from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.postgres.cluster import SUPERUSER


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
