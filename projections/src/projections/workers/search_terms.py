"""Search terms that the server has lost are filled again, by whichever worker sees it first."""

import asyncio
from collections.abc import Iterable
from typing import Final, Never

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool, read_with
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from projections.entity_tables.searching import refill
from projections.leases.sessions import open_session
from projections.progress import searches
from projections.tables import EntityTable, ReadTable

logger = structlog.get_logger()

LOOK_SECONDS: Final = 1.0


async def keep_searched(pool: Pool, dsn: str, tables: Iterable[ReadTable]) -> Never:
    """See to it that tables can be searched, until cancelled.

    Args:
        pool: to look whether they can.
        dsn: where to connect, with the projection worker's rights.
        tables: which; of those that nobody searches, nothing is asked.
    """
    searched = [table for table in tables if isinstance(table, EntityTable)]
    while True:
        try:
            due = await read_with(
                pool, lambda connection: searches.unsettled(connection, searched), patience=LOOK_SECONDS
            )
            for table in due:
                async with open_session(dsn) as connection:
                    await refill(connection, table)
        except (psycopg.Error, PoolTimeout, KeysUnavailable) as error:
            logger.info("search_waits", error=type(error).__name__)
        await asyncio.sleep(LOOK_SECONDS)
