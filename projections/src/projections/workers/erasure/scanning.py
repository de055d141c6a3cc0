"""Whether anything is left of somebody in the clear: in rows that this role may read, and in files."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from psycopg import AsyncConnection, sql

from projections.tables.search_terms import folded, key_of

_SCHEMAS: Final = ["read", "log", "operations", "audit", "privacy", "preferences"]
_PAGES: Final = 2_000
"""Of the server's, 16 MB: so long it works before it can be interrupted."""
# Boxes are ciphertext.
_TABLES: Final = """
SELECT nspname, relname,
  coalesce(array_agg(attname::text) FILTER (WHERE typname <> 'bytea'), '{}'),
  coalesce(array_agg(attname::text) FILTER (WHERE typname = 'bytea'), '{}'),
  CASE WHEN has_table_privilege(pg_class.oid, 'SELECT')
    THEN pg_relation_size(pg_class.oid) / current_setting('block_size')::integer END
FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  JOIN pg_type ON pg_type.oid = atttypid
WHERE relkind = 'r' AND nspname = ANY(%s) AND attname <> 'box'
  AND typname IN ('text', '_text', 'varchar', 'json', 'jsonb', 'bytea')
  AND has_schema_privilege(nspname, 'USAGE')
  AND has_column_privilege(pg_class.oid, attnum, 'SELECT')
GROUP BY nspname, relname, pg_class.oid
ORDER BY nspname, relname
"""
# Each value is taken from where large ones are kept once, not for each text.
_COUNT: Final = sql.SQL(
    """
    SELECT count(*), count(*) FILTER (WHERE
      EXISTS (SELECT FROM unnest(%(texts)s::text[]) AS wanted WHERE strpos(told, wanted) > 0)
      OR EXISTS (SELECT FROM unnest(%(bytes)s::bytea[]) AS wanted WHERE position(wanted IN stored) > 0)
    )
    FROM {table} AS kept CROSS JOIN LATERAL (SELECT {told} AS told, {stored} AS stored OFFSET 0) AS taken
    WHERE {stretch}
    """
)
_STRETCH: Final = sql.SQL("kept.ctid >= %(first)s::tid AND kept.ctid < %(after)s::tid")
"""Where a row is may only be asked by who may read all of it; the other tables are small."""


async def scan(connection: AsyncConnection, texts: Collection[str], folder: Path | None) -> dict[str, Any]:
    """Look for texts, and tell where they are and how often, but not which.

    Args:
        connection: any.
        texts: what to look for.
        folder: whose files are looked through as well; None: no files can be.
    """
    written = _written(texts)
    rows, found = await _in_rows(connection, written)
    files, unread = None, None
    if folder is not None:
        in_files = await _in_files(_lower(written), folder)
        files, unread = in_files["files"], in_files["unread"]
        found += in_files["found"]
    return {
        "texts": len(texts),
        "rows": rows,
        "files": files,
        "files_unread": unread,
        "found": found,
        "not_scanned": None,
    }


def _written(texts: Collection[str]) -> list[str]:
    """Return texts in all ways in which they may be written: as they are, as lists are searched and sorted by
    them, as JSON has them.
    """
    ways = {way for text in texts for way in (text, folded(text), key_of(text))}
    return sorted(ways | {json.dumps(way)[1:-1] for way in ways})


def _lower(texts: Collection[str]) -> list[str]:
    """Return what is looked for where it may be capitalised in any way; of letters that ASCII has."""
    return sorted({text.encode().lower().decode() for text in texts})


async def _in_rows(connection: AsyncConnection, texts: list[str]) -> tuple[int, list[dict[str, Any]]]:
    rows, found = 0, []
    parameters = {"texts": _lower(texts), "bytes": [text.encode() for text in texts]}
    tables = await (await connection.execute(_TABLES, (_SCHEMAS,))).fetchall()
    for schema, name, columns, binary, pages in tables:
        told = [sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns]
        stored = [sql.SQL("coalesce({}, ''::bytea)").format(sql.Identifier(column)) for column in binary]
        statement = _COUNT.format(
            table=sql.Identifier(schema, name),
            told=sql.SQL('lower(concat_ws(chr(10), {}) COLLATE "C")').format(
                sql.SQL(", ").join([sql.SQL("''"), *told])
            ),
            stored=sql.SQL(" || ").join([sql.SQL("''::bytea"), *stored]),
            stretch=sql.SQL("true") if pages is None else _STRETCH,
        )
        count = 0
        for first in range(0, 1 if pages is None else pages, _PAGES):
            stretch = {"first": f"({first},0)", "after": f"({first + _PAGES},0)"}
            ((looked_at, hits),) = await (
                await connection.execute(statement, parameters | stretch)
            ).fetchall()
            rows, count = rows + looked_at, count + hits
        if count:
            found.append({"place": f"{schema}.{name}", "count": count})
    return rows, found


async def _in_files(texts: list[str], folder: Path) -> dict[str, Any]:
    """Look through files in a process of its own: gigabytes, while this one has others waiting."""
    command = [sys.executable, "-P", "-m", "projections.workers.erasure.files"]
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    try:
        wanted = json.dumps({"folder": str(folder), "texts": texts})
        answer, _ = await process.communicate(wanted.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise OSError("the files could not be looked through")
    told: dict[str, Any] = json.loads(answer)
    return told
