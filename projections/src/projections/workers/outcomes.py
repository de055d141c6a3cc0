"""Forgets the outcomes of commands once they are old; which those are, the database knows."""

import asyncio
from typing import Final

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool, read_with

FORGET_SECONDS: Final = 600.0
AT_ONCE: Final = 1_000
"""Rows of one transaction, so that none takes long."""

logger = structlog.get_logger()


async def keep_forgetting_outcomes(pool: Pool) -> None:
    """Forget outcomes now and again, until cancelled; what several workers do at once is done once."""
    while True:
        try:
            while await read_with(pool, _forget) == AT_ONCE:
                pass
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("outcomes_not_forgotten", error=type(error).__name__)
        await asyncio.sleep(FORGET_SECONDS)


async def _forget(connection: AsyncConnection) -> int:
    cursor = await connection.execute("SELECT log.forget_outcomes(%s)", (AT_ONCE,))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0
