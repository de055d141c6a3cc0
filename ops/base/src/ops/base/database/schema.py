"""Compatibility of this release with a database's schema."""

from typing import Final

import psycopg

from ops.base.database.connection import ANSWER_SECONDS, connect

REVISION: Final = "0004"
"""The newest migration script that this release needs."""

SCHEMA: Final = "SELECT revision, serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1"
"""The database's newest migration, and the oldest release that can use the schema."""


class UnknownSchema(Exception):
    """The schema is too old for this release, or this release too old for the schema."""


async def require_known_schema(dsn: str) -> str:
    """Check that this release can use a database, and return the schema's revision.

    Args:
        dsn: the database, as any of the services' roles.

    Raises:
        UnknownSchema: the release cannot; the message says what to do.
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
    """Compare a schema with this release; raises `UnknownSchema`.

    Args:
        revision: of the schema; empty if there is none.
        serves_from: the revision of the oldest release that can use the schema.
    """
    known = f"the database's schema has revision {revision or 'none'}"
    if revision < REVISION:
        raise UnknownSchema(f"{known}, and this version needs {REVISION}: run migrate first")
    if serves_from > REVISION:
        raise UnknownSchema(
            f"{known}, which serves versions from {serves_from} on, and this one knows {REVISION}:"
            " this version is too old for the database, run a newer one"
        )
