"""What a database holds beside events and accesses: copied as it is, or left to be filled anew."""

from typing import Final

from psycopg import AsyncConnection, sql

# Read tables are made of the log; the rest of what is left out is written as it is needed.
_TABLES: Final = """
SELECT schemaname, tablename FROM pg_tables
WHERE (schemaname IN ('log', 'audit', 'sign_in', 'operations', 'privacy')
  AND (schemaname, tablename) NOT IN (
    ('log', 'events'), ('log', 'outcomes'), ('log', 'append_lock'), ('log', 'schema_revisions'),
    ('audit', 'accesses'), ('operations', 'services')
  )) OR (schemaname, tablename) IN (('read', 'relay_positions'), ('preferences', 'former_keys'))
ORDER BY 1, 2
"""
# A hash of what was sent gives it away to whoever guesses; what is sent again is decided again.
_OUTCOMES: Final = sql.SQL("SELECT * FROM log.outcomes WHERE strpos(fingerprint, '.') > 0")
_COLUMNS: Final = """
SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""
_NUMBERED: Final = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attidentity <> ''
"""
_GO_ON: Final = "SELECT setval(pg_get_serial_sequence({name}, {column}), max({number})) FROM {table}"


async def copy_tables(source: AsyncConnection, target: AsyncConnection) -> None:
    """Copy all that stays as it is.

    Args:
        source: the database.
        target: another one, as new.
    """
    for schema, table in await (await source.execute(_TABLES)).fetchall():
        name = sql.Identifier(schema, table)
        await _copy(source, target, sql.SQL("SELECT * FROM {}").format(name), name)
    await _copy(source, target, _OUTCOMES, sql.Identifier("log", "outcomes"))


async def _copy(
    source: AsyncConnection, target: AsyncConnection, rows: sql.Composable, name: sql.Identifier
) -> None:
    table = name.as_string(source)
    ((columns,),) = await (await target.execute(_COLUMNS, (table,))).fetchall()
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    told = sql.SQL("COPY (SELECT {} FROM ({}) AS kept) TO STDOUT (FORMAT BINARY)").format(listed, rows)
    taken = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(name, listed)
    async with target.transaction(), source.cursor() as reader, target.cursor() as writer:
        await writer.execute(sql.SQL("DELETE FROM {}").format(name))  # what a new database has
        async with reader.copy(told) as out, writer.copy(taken) as into:
            async for block in out:
                await into.write(block)
        for (column,) in await (await source.execute(_NUMBERED, (table,))).fetchall():
            number = {"name": sql.Literal(table), "column": sql.Literal(column)}
            await writer.execute(sql.SQL(_GO_ON).format(**number, number=sql.Identifier(column), table=name))
