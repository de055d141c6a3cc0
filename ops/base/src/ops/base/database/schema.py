"""Whether this release and a database's schema know each other; asked before a service serves."""

from typing import Final

import psycopg

from ops.base.database.connection import ANSWER_SECONDS, connect

REVISION: Final = "0001"
"""The newest migration script that this release needs."""

SCHEMA: Final = "SELECT revision, serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1"
"""What a database says: its newest script, and the oldest release that may run on it."""


class UnknownSchema(Exception):
    """The schema is too old for this release, or this release too old for the schema."""


async def require_known_schema(dsn: str) -> str:
    """See that this release may run on a database.

    Args:
        dsn: where to connect, as any of the services' roles.

    Returns:
        The schema's revision.

    Raises:
        UnknownSchema: it may not; the message says what to do.
        psycopg.OperationalError: the database cannot be reached.
    """
    async with await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
        try:
            row = await (await connection.execute(SCHEMA)).fetchone()
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            row = None
    revision, serves_from = row or ("", "")
    require_compatible(revision, serves_from)
    return str(revision)


def require_compatible(revision: str, serves_from: str) -> None:
    """Compare a schema with this release.

    Args:
        revision: of the schema; empty where it has none.
        serves_from: the oldest release's that may still run on it.

    Raises:
        UnknownSchema: they do not go together.
    """
    known = f"the database's schema has revision {revision or 'none'}"
    if revision < REVISION:
        raise UnknownSchema(f"{known}, and this version needs {REVISION}: run migrate first")
    if serves_from > REVISION:
        raise UnknownSchema(
            f"{known}, which serves versions from {serves_from} on, and this one knows {REVISION}:"
            " this version is too old for the database, run a newer one"
        )
