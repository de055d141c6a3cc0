"""Scans readable rows and files for unencrypted texts of an erased person."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from psycopg import AsyncConnection, sql

from read_model.tables.search_terms import folded, key_of

_SCHEMAS: Final = ["read", "log", "operations", "audit", "privacy", "preferences", "notify"]
_PAGES: Final = 2_000
"""Database pages (16 MB) that one statement scans, which limits its duration."""
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
WHERE relkind = 'r' AND nspname = ANY(%s) AND attname <> 'ciphertext'
  AND typname IN ('text', '_text', 'varchar', 'json', 'jsonb', 'bytea')
  AND has_schema_privilege(nspname, 'USAGE')
  AND has_column_privilege(pg_class.oid, attnum, 'SELECT')
GROUP BY nspname, relname, pg_class.oid
ORDER BY nspname, relname
"""
# OFFSET 0 makes the server detoast each value once, not for each text.
_COUNT: Final = sql.SQL(
    """
    SELECT count(*), count(*) FILTER (WHERE
      EXISTS (SELECT FROM unnest(%(texts)s::text[]) AS wanted WHERE strpos(content, wanted) > 0)
      OR EXISTS (SELECT FROM unnest(%(bytes)s::bytea[]) AS wanted WHERE position(wanted IN stored) > 0)
    )
    FROM {table} AS kept
      CROSS JOIN LATERAL (SELECT {content} AS content, {stored} AS stored OFFSET 0) AS detoasted
    WHERE {stretch}
    """
)
_STRETCH: Final = sql.SQL("kept.ctid >= %(first)s::tid AND kept.ctid < %(after)s::tid")
"""Only roles that may read the whole table may select `ctid`; the other tables are small."""


async def scan(connection: AsyncConnection, texts: Collection[str], folder: Path | None) -> dict[str, Any]:
    """Scan for texts in rows, and in a folder's files if one is given; return places and counts."""
    forms = _stored_forms(texts)
    rows, found = await _in_rows(connection, forms)
    files, unread = None, None
    if folder is not None:
        in_files = await _in_files(_lower(forms), folder)
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


def _stored_forms(texts: Collection[str]) -> list[str]:
    """Return texts in all forms in which they may be stored: unchanged, as search terms, and in JSON."""
    forms = {form for text in texts for form in (text, folded(text), key_of(text))}
    return sorted(forms | {json.dumps(form)[1:-1] for form in forms})


def _lower(texts: Collection[str]) -> list[str]:
    """Return texts with ASCII letters in lower case, for searches that ignore their case."""
    return sorted({text.encode().lower().decode() for text in texts})


async def _in_rows(connection: AsyncConnection, texts: list[str]) -> tuple[int, list[dict[str, Any]]]:
    rows, found = 0, []
    parameters = {"texts": _lower(texts), "bytes": [text.encode() for text in texts]}
    tables = await (await connection.execute(_TABLES, (_SCHEMAS,))).fetchall()
    for schema, name, columns, binary, pages in tables:
        content = [sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns]
        stored = [sql.SQL("coalesce({}, ''::bytea)").format(sql.Identifier(column)) for column in binary]
        statement = _COUNT.format(
            table=sql.Identifier(schema, name),
            content=sql.SQL('lower(concat_ws(chr(10), {}) COLLATE "C")').format(
                sql.SQL(", ").join([sql.SQL("''"), *content])
            ),
            stored=sql.SQL(" || ").join([sql.SQL("''::bytea"), *stored]),
            stretch=sql.SQL("true") if pages is None else _STRETCH,
        )
        count = 0
        for first in range(0, 1 if pages is None else pages, _PAGES):
            stretch = {"first": f"({first},0)", "after": f"({first + _PAGES},0)"}
            ((scanned, hits),) = await (await connection.execute(statement, parameters | stretch)).fetchall()
            rows, count = rows + scanned, count + hits
        if count:
            found.append({"place": f"{schema}.{name}", "count": count})
    return rows, found


async def _in_files(texts: list[str], folder: Path) -> dict[str, Any]:
    """Search files in a separate process, because gigabytes would block the event loop."""
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
        raise OSError("the files could not be searched")
    found: dict[str, Any] = json.loads(answer)
    return found
