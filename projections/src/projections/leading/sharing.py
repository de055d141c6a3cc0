"""Which worker leads which projection, where several run the same ones.

Each worker sees in the database's locks who offers to lead a projection, and who leads how many, and comes by
itself to what all others come to. A projection belongs to

1. who runs the fewest projections, so that one can be given a process of its own,
2. then to who leads the fewest others,
3. then to who leads it.

It is handed over only where that makes the shares more even, one at a time, and none while another one has no
leader: so they come to rest, however workers come and go.
"""

import secrets
from collections.abc import Sequence
from typing import Final

from psycopg import AsyncConnection

from projections.leading.locks import HELD, NAMESPACE, SHARE_KEY, lead_key, try_to_lock, unlock
from projections.tables import ReadTable

_RANDOM_BITS: Final = 24

_OWNERS: Final = f"""
WITH held AS MATERIALIZED ({HELD}),
offer AS (
  SELECT namespace AS worker, key,
    (%(namespace)s, key, pid) IN (SELECT namespace, key, pid FROM held) AS leads
  FROM held WHERE namespace >> {_RANDOM_BITS} > 0
),
owner AS (
  SELECT worker FROM offer
  WHERE key = %(key)s
  ORDER BY
    worker >> {_RANDOM_BITS},
    (SELECT count(*) FROM offer AS other WHERE other.worker = offer.worker AND leads AND key <> %(key)s),
    NOT leads,
    worker # key -- any, but not the same one for all
  LIMIT 1
)
"""  # noqa: S608 - put together from our own constants
_TAKE: Final = f"""{_OWNERS}
SELECT CASE worker WHEN %(worker)s THEN pg_try_advisory_lock(%(namespace)s::int, %(key)s::int) END FROM owner
"""  # noqa: S608 - as above
_IS_OWED: Final = f"""{_OWNERS}
SELECT worker <> %(worker)s AND NOT EXISTS (
  SELECT FROM offer
  WHERE key = ANY (%(keys)s) AND key NOT IN (SELECT key FROM held WHERE namespace = %(namespace)s)
) FROM owner
"""  # noqa: S608 - as above


class Share:
    """What one worker leads, of what it runs."""

    def __init__(self, tables: Sequence[ReadTable]) -> None:
        """Describe the share.

        Args:
            tables: those of all projections that the worker runs.
        """
        self._keys = [lead_key(table) for table in tables]
        # Other first halves of keys, `NAMESPACE` among them, are below all of these.
        self._worker = len(tables) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)

    async def offer(self, connection: AsyncConnection, table: ReadTable) -> bool:
        """Let the others know that this session would lead; not while a former session's offer stands."""
        return await try_to_lock(connection, lead_key(table), namespace=self._worker)

    async def take(self, connection: AsyncConnection, table: ReadTable) -> bool:
        """Lead, if nobody else does or should."""
        return await self._ask(connection, _TAKE, table)

    async def is_owed(self, connection: AsyncConnection, table: ReadTable) -> bool:
        """Tell whether somebody else should lead."""
        return await self._ask(connection, _IS_OWED, table)

    async def hand_over(self, connection: AsyncConnection, table: ReadTable) -> bool:
        """Lead no longer, if somebody else should."""
        if not await self.is_owed(connection, table) or not await try_to_lock(connection, SHARE_KEY):
            return False
        try:
            is_owed = await self.is_owed(connection, table)  # who saw it too may have been first
            if is_owed:
                await unlock(connection, lead_key(table))
            return is_owed
        finally:
            await unlock(connection, SHARE_KEY)

    async def _ask(self, connection: AsyncConnection, question: str, table: ReadTable) -> bool:
        parameters = {
            "namespace": NAMESPACE, "worker": self._worker, "key": lead_key(table), "keys": self._keys
        }  # fmt: skip
        cursor = await connection.execute(question, parameters)
        row = await cursor.fetchone()
        return bool(row and row[0])
