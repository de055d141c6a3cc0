"""Refills the search terms of an entity table after a crash of the server or a rebuild.

The projector writes row and terms in one transaction. Every write here locks the projection's position, so
the two never interleave.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import psycopg
import structlog
from psycopg import AsyncConnection, sql

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.rows import decrypt_row
from ops.base.process.failpoints import failpoint
from projections.engine.batch import notify_renewed
from projections.engine.writes import Insertion
from projections.entity_tables.fold import Terms, terms_of
from projections.leadership.locks import try_to_lock, unlock
from projections.progress import positions, searches
from read_model.lock_keys import refill_key
from read_model.tables import EntityTable, list_item_in

logger = structlog.get_logger()

BATCH_ROWS: Final = 500
BATCH_BYTES: Final = 1_000_000
"""Limits how long the projection waits for a batch, to some 10 ms."""

UPSERT_TERMS: Final = Insertion(
    (
        ("id", "text"),
        ("version", "bigint"),
        ("search_text", "text"),
        ("sort_keys", "text"),
        ("match_keys", "text[]"),
    ),
    """
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version,
      search_text = excluded.search_text,
      sort_keys = excluded.sort_keys,
      match_keys = excluded.match_keys
    WHERE (kept.version, kept.search_text, kept.sort_keys, kept.match_keys)
      IS DISTINCT FROM (excluded.version, excluded.search_text, excluded.sort_keys, excluded.match_keys)
    """,
)
_ROWS: Final = sql.SQL(
    """
    SELECT id, version, key_id, ciphertext, list_item::text
    FROM (
      SELECT *, coalesce(sum(read.json_bytes(list_item) + coalesce(octet_length(ciphertext), 0)) OVER (
        ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS bytes_before
      FROM (
        SELECT * FROM {table}
        WHERE id > %s AND position > %s AND NOT restricted
        ORDER BY id LIMIT {rows}
      ) AS next_rows
    ) AS measured
    WHERE bytes_before < {bytes}
    ORDER BY id
    """
)
_DELETE_OTHERS: Final = sql.SQL(
    "DELETE FROM {search} WHERE id > %(after)s AND (%(last)s::text IS NULL OR id <= %(last)s)"
    " AND id <> ALL (%(ids)s)"
)
_DELETE_STRAY: Final = sql.SQL(
    "DELETE FROM {search} AS kept"
    " WHERE NOT EXISTS (SELECT FROM {table} AS row WHERE row.id = kept.id AND NOT row.restricted)"
)


async def refill(connection: AsyncConnection, table: EntityTable) -> bool:
    """Make a table's search terms match its rows while the projection continues, and mark them as complete.

    Args:
        connection: in autocommit mode.

    Returns:
        False if another process refills the terms, or the table must be rebuilt first.
    """
    if not await try_to_lock(connection, refill_key(table)):
        return False
    try:
        return await _refill(connection, table)
    finally:
        with suppress(psycopg.Error):  # a lost connection holds no lock
            await unlock(connection, refill_key(table))


async def _refill(connection: AsyncConnection, table: EntityTable) -> bool:
    was_complete = await searches.is_complete(connection, table)
    logger.info("search_refill_begins", projection=table.name, searchable=was_complete)
    began, rows, changed = time.monotonic(), 0, 0
    last, generation = "", None
    while True:
        async with connection.transaction():
            filled_by, position = await positions.lock(connection, table)
            if filled_by != table.version:
                return False
            place = await positions.read_place(connection, table)
            if generation not in (None, place.generation):
                last, rows = "", 0  # a rebuild has replaced the rows
            generation = place.generation
            terms = await _terms(connection, table, table, after=last)
            changed += await _merge(connection, table, terms)
            ids = [one.id for one in terms]
            cursor = await connection.execute(
                _DELETE_OTHERS.format(search=table.search.identifier),
                {"after": last, "last": ids[-1] if ids else None, "ids": ids},
            )
            changed += cursor.rowcount
            rows += len(terms)
            if not terms:
                await searches.mark_complete(connection, table)
                if changed and was_complete:  # searches may have returned wrong rows
                    await positions.mark_renewed(connection, table)
                break
            last = terms[-1].id
        failpoint("search.batch_written")
        await asyncio.sleep(0)
    if changed or not was_complete:
        await notify_renewed(connection, table, position)
    seconds = round(time.monotonic() - began, 1)
    logger.info("search_refilled", projection=table.name, rows=rows, changed=changed, seconds=seconds)
    return True


async def follow(connection: AsyncConnection, table: EntityTable, following: EntityTable, after: int) -> None:
    """Update a table's search terms to the rows of the rebuilt table that replaces it.

    Args:
        connection: in the transaction that locks the position and swaps the tables.
        after: the position of the replaced table.
    """
    last: str | None = ""
    while last is not None:
        terms = await _terms(connection, table, following, after=last, position=after)
        await _merge(connection, table, terms)
        last = terms[-1].id if terms else None
    await connection.execute(_DELETE_STRAY.format(search=table.search.identifier, table=following.identifier))


async def _terms(
    connection: AsyncConnection, table: EntityTable, source: EntityTable, *, after: str, position: int = 0
) -> list[Terms]:
    statement = _ROWS.format(
        table=source.identifier, rows=sql.Literal(BATCH_ROWS), bytes=sql.Literal(BATCH_BYTES)
    )
    rows = await (await connection.execute(statement, (after, position), binary=True)).fetchall()
    await KEYS.load(row[2] for row in rows if row[2] is not None)
    terms = []
    for entity_id, version, key_id, ciphertext, harmless in rows:
        texts = decrypt_row(
            table.encrypted_as, f"{table.entity.name}:{entity_id}", version, key_id, ciphertext
        )
        item = json.loads(list_item_in(texts) if texts else harmless)
        terms.append(terms_of(table, entity_id, version, item))
    return terms


async def _merge(connection: AsyncConnection, table: EntityTable, terms: Sequence[Terms]) -> int:
    changed = 0
    for statement in UPSERT_TERMS.statements(table.search, terms):
        changed += (await connection.execute(statement.under(), statement.parameters)).rowcount
    return changed
