"""Creates and drops the table that a rebuild fills, and swaps it with the old one."""

from dataclasses import replace
from typing import Final

from psycopg import AsyncConnection, sql

from read_model.tables import ReadTable, next_table

_PROJECTOR: Final = "fleetlog_projector"

_READERS: Final = """
SELECT rolname, NULL AS columns
FROM pg_class CROSS JOIN aclexplode(relacl) AS granted JOIN pg_roles ON pg_roles.oid = grantee
WHERE pg_class.oid = %(table)s::regclass AND privilege_type = 'SELECT' AND grantee <> relowner
UNION ALL
SELECT rolname, array_agg(attname::text)
FROM pg_attribute CROSS JOIN aclexplode(attacl) AS granted JOIN pg_roles ON pg_roles.oid = grantee
WHERE attrelid = %(table)s::regclass AND privilege_type = 'SELECT'
GROUP BY rolname
"""
"""Roles that may read the table, or some columns of it."""

_OPTIONS: Final = """
SELECT option_name, option_value
FROM pg_class CROSS JOIN pg_options_to_table(reloptions) WHERE oid = %s::regclass
"""
"""Storage parameters, which `LIKE` does not copy."""

_WITHOUT_STATISTICS: Final = """
SELECT attname, attnum FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attstattarget = 0
"""

_TRIGGERS: Final = """
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal
"""

# A stream that is still quarantined at the same event keeps its start time.
_SWAP: Final = sql.SQL(
    """
    SET LOCAL synchronous_commit = off;
    SET LOCAL lock_timeout = {patience};
    LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE;
    {renames};

    UPDATE read.quarantined_streams AS next SET since = old.since
    FROM read.quarantined_streams AS old
    WHERE next.projection = {next_key} AND old.projection = {key}
      AND next.originator_id = old.originator_id AND next.position = old.position;
    DELETE FROM read.quarantined_streams WHERE projection = {key};
    UPDATE read.quarantined_streams SET projection = {key} WHERE projection = {next_key};

    UPDATE read.positions AS old SET
      position = next.position,
      changed_position = next.changed_position,
      version = next.version,
      moment = next.moment,
      generation = old.generation + 1
    FROM read.positions AS next
    WHERE old.projection = {key} AND next.projection = {next_key};
    DELETE FROM read.positions WHERE projection = {next_key};

    UPDATE read.searches SET is_verified = false WHERE projection = {key};
    COMMIT
    """
)

# Indexes correspond if their definitions are equal but for names and table.
_INDEXES: Final = """
SELECT relname, regexp_replace(pg_get_indexdef(indexrelid), ' INDEX .* USING ', ' ') AS what
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = %s::regclass
ORDER BY what, relname
"""


async def create(connection: AsyncConnection, table: ReadTable) -> None:
    """Create the empty next table of a table, after cleaning up after an interrupted rebuild."""
    following = next_table(table)
    async with connection.transaction():
        await drop_old_table(connection, table)
        await drop(connection, table)
        for one in (table, *table.derived):
            await create_like(connection, next_table(one), one)
        await connection.execute(
            "INSERT INTO read.positions (projection, position, changed_position, version)"
            " VALUES (%s, 0, 0, %s)",
            (following.name, following.version),
        )


async def create_like(
    connection: AsyncConnection, following: ReadTable, table: ReadTable, *, unlogged: bool = False
) -> None:
    """Create an empty table like another one, with the same rights, in a transaction of the caller's."""
    statement = sql.SQL("CREATE {} TABLE {} (LIKE {} INCLUDING ALL)")
    kind = sql.SQL("UNLOGGED" if unlogged else "")
    await connection.execute(statement.format(kind, following.identifier, table.identifier))
    for option, value in await (await connection.execute(_OPTIONS, (f"read.{table.name}",))).fetchall():
        stored = sql.SQL("ALTER TABLE {} SET ({} = {})")
        named = sql.Identifier(option)
        await connection.execute(stored.format(following.identifier, named, sql.Literal(value)))
    for (trigger,) in await (await connection.execute(_TRIGGERS, (f"read.{table.name}",))).fetchall():
        await connection.execute(trigger.replace(f" ON read.{table.name} ", f" ON read.{following.name} "))
    # Owned by the group, so that every login role of the projections can rebuild it again.
    owner = sql.SQL("ALTER TABLE {} OWNER TO {}").format(following.identifier, sql.Identifier(_PROJECTOR))
    await connection.execute(owner)
    cursor = await connection.execute(_READERS, {"table": f"read.{table.name}"})
    for reader, columns in await cursor.fetchall():
        what = sql.SQL("({})").format(sql.SQL(", ").join(map(sql.Identifier, columns or ())))
        await connection.execute(
            sql.SQL("GRANT SELECT {} ON {} TO {}").format(
                what if columns else sql.SQL(""), following.identifier, sql.Identifier(reader)
            )
        )
    cursor = await connection.execute(_WITHOUT_STATISTICS, (f"read.{table.name}",))
    for column, _ in await cursor.fetchall():
        without = sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET STATISTICS 0")
        await connection.execute(without.format(following.identifier, sql.Identifier(column)))
    # The expressions of indexes have statistics of their own, with names among them.
    indexes, new_indexes = await _indexes(connection, table), await _indexes(connection, following)
    for index, new_index in zip(indexes, new_indexes, strict=True):
        cursor = await connection.execute(_WITHOUT_STATISTICS, (f"read.{index}",))
        for _, number in await cursor.fetchall():
            without = sql.SQL("ALTER INDEX {} ALTER COLUMN {} SET STATISTICS 0")
            name = sql.Identifier("read", new_index)
            await connection.execute(without.format(name, sql.Literal(number)))


async def drop(connection: AsyncConnection, table: ReadTable) -> None:
    """Drop the next table of a table, with its position and quarantine, if it exists."""
    following = next_table(table)
    async with connection.transaction():
        for one in (table, *table.derived):
            await connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(next_table(one).identifier))
        for kept in ("positions", "quarantined_streams"):
            await connection.execute(
                sql.SQL("DELETE FROM {} WHERE projection = %s").format(sql.Identifier("read", kept)),
                (following.name,),
            )


def swap_statements(table: ReadTable, *, patience_seconds: float) -> sql.Composed:
    """Return the statements that give a table's name, position and quarantine to the next one, and commit.

    The caller sends them in one message, so that waiting readers do not depend on this process's scheduling.
    Readers do not wait for the disk either: a crash of the server may restore the old table, together with
    the state before all later commits.

    Args:
        patience_seconds: how long to wait for readers of the table, while new readers queue up.
    """
    tables = (table, *table.derived)
    rename = sql.SQL("ALTER TABLE {} RENAME TO {}")
    renames = [
        rename.format(before.identifier, sql.Identifier(after.name))
        for one in tables
        for before, after in ((one, _old_table(one)), (next_table(one), one))
    ]
    return _SWAP.format(
        patience=sql.Literal(f"{round(1000 * patience_seconds)}ms"),
        tables=sql.SQL(", ").join(one.identifier for one in tables),
        renames=sql.SQL(";").join(renames),
        key=sql.Literal(table.name),
        next_key=sql.Literal(next_table(table).name),
    )


async def drop_old_table(connection: AsyncConnection, table: ReadTable) -> None:
    """Drop a replaced table, and give its indexes' names to the new table's indexes."""
    async with connection.transaction():
        for one in (table, *table.derived):
            former = _old_table(one)
            cursor = await connection.execute("SELECT to_regclass(%s) IS NULL", (f"read.{former.name}",))
            if await cursor.fetchone() == (True,):
                return
            names, new_names = await _indexes(connection, former), await _indexes(connection, one)
            await connection.execute(sql.SQL("DROP TABLE {}").format(former.identifier))
            for name, new_name in zip(names, new_names, strict=True):
                rename = sql.SQL("ALTER INDEX {} RENAME TO {}")
                await connection.execute(
                    rename.format(sql.Identifier("read", new_name), sql.Identifier(name))
                )


def _old_table(table: ReadTable) -> ReadTable:
    return replace(table, name=f"{table.name}_old")


async def _indexes(connection: AsyncConnection, table: ReadTable) -> list[str]:
    cursor = await connection.execute(_INDEXES, (f"read.{table.name}",))
    return [name for name, _ in await cursor.fetchall()]
