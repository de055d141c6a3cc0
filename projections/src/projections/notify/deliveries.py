"""The log of deliveries, which is bounded."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Never

from psycopg import AsyncConnection

from ops.base.database.pools import Pool
from projections.notify import cursors
from projections.notify.cursors import ADVANCE, CursorMoved

MOST_ROWS: Final = 1_000
"""Rows of each subscription that are retained."""
MOST_DAYS: Final = 30
TEXT_BYTES: Final = 2_048
"""Length of a stored request or response."""

FLUSH_SECONDS: Final = 0.2
"""Delay of cursors and of the log behind successful deliveries."""

_PRUNE_SECONDS: Final = 60.0
_MOST_PENDING: Final = 1_000
_COLUMNS: Final = (
    "subscription_id, moment, kind, event_id, event_type, subject, attempt, ok, status, milliseconds, error,"
    " request, response"
)
_INSERT: Final = f"""
INSERT INTO notify.deliveries ({_COLUMNS}) SELECT {_COLUMNS} FROM unnest(
  %s::text[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[], %s::integer[], %s::boolean[],
  %s::integer[], %s::integer[], %s::text[], %s::text[], %s::text[]
) WITH ORDINALITY AS delivery ({_COLUMNS}, nth)
"""  # noqa: S608 - constants of this project
# Without waiting for the disk: a crash of the database repeats less than a second of deliveries.
_ADVANCE: Final = f"""
WITH advanced AS ({ADVANCE} RETURNING one.subscription_id), logged AS (
  {_INSERT} JOIN advanced USING (subscription_id) ORDER BY nth
) SELECT subscription_id, set_config('synchronous_commit', 'off', true) FROM advanced
"""  # noqa: S608 - as above
_PRUNE: Final = """
DELETE FROM notify.deliveries WHERE number IN (
  SELECT number FROM (
    SELECT number, moment, subscription_id,
      row_number() OVER (PARTITION BY subscription_id ORDER BY number DESC) AS nth
    FROM notify.deliveries
  ) AS numbered
  WHERE nth > %s OR moment < clock_timestamp() - make_interval(days => %s)
    OR NOT EXISTS (SELECT FROM read.subscriptions WHERE id = subscription_id)
  LIMIT 1000
)
"""
# A removed subscription may be restored, and then continues at its place.
_FORGET: Final = """
DELETE FROM notify.cursors WHERE changed_at < clock_timestamp() - make_interval(days => %s)
  AND NOT EXISTS (SELECT FROM read.subscriptions WHERE id = subscription_id)
"""
_FORGET_CONFIRMATIONS: Final = """
DELETE FROM notify.confirmations WHERE confirmed_at < clock_timestamp() - make_interval(days => %s)
  AND NOT EXISTS (SELECT FROM read.subscriptions WHERE id = subscription_id)
"""
_FORGET_REQUESTS: Final = """
DELETE FROM notify.requests WHERE is_done AND asked_at < clock_timestamp() - make_interval(days => %s)
"""


@dataclass(frozen=True)
class Delivery:
    """One attempt to deliver something."""

    subscription_id: str
    moment: datetime
    kind: Literal["event", "test", "again", "digest"]
    ok: bool
    attempt: int = 1
    event_id: str | None = None
    event_type: str | None = None
    subject: str | None = None
    status: int | None = None
    milliseconds: int | None = None
    error: str | None = None
    request: str | None = None
    response: str | None = None


async def record(connection: AsyncConnection, delivery: Delivery) -> None:
    """Add a delivery to the log, with shortened texts."""
    await connection.execute(_INSERT, _columns([delivery]))


class DeliveryWriter:
    """Writes the progress of all subscriptions together, because a transaction for each delivery would cost
    the database as much as a command.

    A crash repeats the deliveries that are not written yet; receivers recognise them by their ids.

    Args:
        pool: connections in autocommit mode, with the notifier's rights.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = asyncio.Lock()
        self._pending: list[tuple[str, int, int, Delivery | None]] = []
        self._moved: set[str] = set()

    async def run(self) -> Never:
        """Write what is pending every `FLUSH_SECONDS`, until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.flush()

    async def begin(self, subscription_id: str) -> cursors.Cursor:
        """Do as `cursors.begin`, after what is pending."""
        await self.flush()
        self._moved.discard(subscription_id)
        async with self._pool.connection() as connection:
            return await cursors.begin(connection, subscription_id)

    async def advance(
        self, subscription_id: str, delivery: Delivery | None = None, *, after: int, to: int
    ) -> None:
        """Do as `cursors.advance` and `record` soon; raise CursorMoved if it has proved impossible."""
        if subscription_id in self._moved:
            raise CursorMoved
        self._pending.append((subscription_id, after, to, delivery))
        if len(self._pending) >= _MOST_PENDING:  # the database is slow or away
            await self.flush()

    async def flush(self) -> None:
        """Write what is pending now; after an error it stays pending."""
        async with self._lock:
            taken, self._pending = self._pending, []
            if not taken:
                return
            first = {one: after for one, after, *_ in reversed(taken)}
            last = {one: to for one, _, to, _ in taken}
            moves = list(first), list(first.values()), [last[one] for one in first]
            logged = [delivery for *_, delivery in taken if delivery is not None]
            try:
                async with self._pool.connection() as connection:
                    rows = await (await connection.execute(_ADVANCE, (*moves, *_columns(logged)))).fetchall()
            except BaseException:
                # If they were written all the same, the next attempt finds that the cursors have moved.
                self._pending = taken + self._pending
                raise
            self._moved |= first.keys() - {one for one, _ in rows}


def _columns(rows: Sequence[Delivery]) -> list[list[object]]:
    """Return the columns of `_COLUMNS`."""
    return [list(each) for each in zip(*map(_values, rows), strict=True)] or [[]] * len(_COLUMNS.split(","))


def _values(one: Delivery) -> tuple[object, ...]:
    texts = [text and text.replace("\0", "")[:TEXT_BYTES] for text in (one.error, one.request, one.response)]
    which = (one.subscription_id, one.moment, one.kind, one.event_id, one.event_type, one.subject)
    result = (one.attempt, one.ok, one.status, one.milliseconds)
    return (*which, *result, *texts)


async def keep_pruning(pool: Pool) -> Never:
    """Prune at intervals, until cancelled."""
    while True:
        async with pool.connection() as connection:
            await prune(connection)
        await asyncio.sleep(_PRUNE_SECONDS)


async def prune(connection: AsyncConnection) -> None:
    """Delete old deliveries, 1,000 at a time, and the state of subscriptions that were removed long ago."""
    while (await connection.execute(_PRUNE, (MOST_ROWS, MOST_DAYS))).rowcount == 1_000:
        pass
    await connection.execute(_FORGET, (MOST_DAYS,))
    await connection.execute(_FORGET_CONFIRMATIONS, (MOST_DAYS,))
    await connection.execute(_FORGET_REQUESTS, (MOST_DAYS,))
