"""Periodic tasks of every worker: refill lost search terms, and delete outcomes of old commands."""

import asyncio
from collections.abc import Iterable
from typing import Final, Never

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from projections.entity_tables.search_terms import refill
from projections.leadership.sessions import open_session
from projections.progress import searches
from read_model.tables import EntityTable, ReadTable

logger = structlog.get_logger()

CHECK_SECONDS: Final = 1.0
FORGET_SECONDS: Final = 600.0
AT_ONCE: Final = 1_000
"""Rows deleted in one transaction, which limits its duration."""


async def keep_searchable(pool: Pool, dsn: str, tables: Iterable[ReadTable]) -> Never:
    """Refill the search terms of tables whenever they are lost, until cancelled.

    Args:
        pool: for the checks.
        dsn: where to connect, with the projection worker's rights.
        tables: the tables; only entity tables have search terms.
    """
    searched = [table for table in tables if isinstance(table, EntityTable)]
    while True:
        try:
            due = await pool.read(
                lambda connection: searches.unverified(connection, searched), patience=CHECK_SECONDS
            )
            for table in due:
                async with open_session(dsn) as connection:
                    await refill(connection, table)
        except (psycopg.Error, PoolTimeout, KeysUnavailable) as error:
            logger.info("search_refill_delayed", error=type(error).__name__)
        await asyncio.sleep(CHECK_SECONDS)


async def keep_forgetting_outcomes(pool: Pool) -> Never:
    """Delete old outcomes every ten minutes, until cancelled; several workers skip each other's rows."""
    while True:
        try:
            while await pool.read(_forget) == AT_ONCE:
                pass
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("outcomes_not_forgotten", error=type(error).__name__)
        await asyncio.sleep(FORGET_SECONDS)


async def _forget(connection: AsyncConnection) -> int:
    cursor = await connection.execute("SELECT log.forget_outcomes(%s)", (AT_ONCE,))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0
