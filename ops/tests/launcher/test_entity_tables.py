"""The read table of an entity type, made by one call."""

import psycopg
import pytest

from ops.base.entities import ENTITY_TYPES
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

MADE = "made"
DESCRIBED = """
SELECT 'column', concat_ws(
  ' ', attname, format_type(atttypid, atttypmod), attcollation, attnotnull, attstattarget, attacl
)
FROM pg_attribute WHERE attrelid = %(table)s::regclass AND attnum > 0
UNION ALL
SELECT 'index', pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %(table)s::regclass
UNION ALL
SELECT 'constraint', conname || ' ' || pg_get_constraintdef(oid)
FROM pg_constraint WHERE conrelid = %(table)s::regclass AND contype <> 'n'
UNION ALL
SELECT 'table', concat_ws(' ', relowner::regrole, relkind, relpersistence, reloptions, relrowsecurity)
FROM pg_class WHERE oid = %(table)s::regclass
UNION ALL
SELECT 'right', concat_ws(' ', grantee::regrole, privilege_type, is_grantable)
FROM pg_class CROSS JOIN aclexplode(relacl) WHERE pg_class.oid = %(table)s::regclass
"""


def described(connection: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    """All that there is of a table, but for its name."""
    rows = connection.execute(DESCRIBED, {"table": f"read.{table}"}).fetchall()
    return sorted((kind, text.replace(table, "TABLE")) for kind, text in rows)


def test_the_call_makes_what_the_earlier_migrations_made(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("SELECT read.create_entity_table(%s)", [MADE])
        made = described(connection, MADE)
        for entity in ENTITY_TYPES:
            assert described(connection, entity.collection) == made, entity.collection
    assert ("right", "fleetlog_reader SELECT f") in made


def test_no_service_may_call_it(database: Database) -> None:
    for role in (database.command, database.projections, database.query, database.relay, database.sealer):
        with psycopg.connect(role) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT read.create_entity_table(%s)", [MADE])
