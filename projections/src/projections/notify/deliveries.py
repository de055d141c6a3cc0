"""The log of deliveries, which is bounded."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from psycopg import AsyncConnection

from projections.notify.cursors import ADVANCE, CursorMoved

MOST_ROWS: Final = 1_000
"""Rows of each subscription that are retained."""
MOST_DAYS: Final = 30
TEXT_BYTES: Final = 2_048
"""Length of a stored request or response."""

_INSERT: Final = """
INSERT INTO notify.deliveries (
  subscription_id, moment, kind, event_id, event_type, subject, attempt, ok, status, milliseconds, error,
  request, response
) SELECT %s, %s, %s, %s, %s, %s, %s::integer, %s, %s::integer, %s::integer, %s, %s, %s
"""
# Waiting for the disk takes longer than most receivers; a crash of the database repeats less than a second.
_ADVANCE: Final = f"""
WITH advanced AS ({ADVANCE} RETURNING set_config('synchronous_commit', 'off', true)) {_INSERT} FROM advanced
"""
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
    await connection.execute(_INSERT, _columns(delivery))


async def record_success(connection: AsyncConnection, delivery: Delivery, *, after: int, to: int) -> None:
    """Do as `record` and `cursors.advance` in one round trip to the database."""
    parameters = (to, delivery.subscription_id, after, *_columns(delivery))
    if (await connection.execute(_ADVANCE, parameters)).rowcount != 1:
        raise CursorMoved


def _columns(one: Delivery) -> tuple[object, ...]:
    texts = [text and text.replace("\0", "")[:TEXT_BYTES] for text in (one.error, one.request, one.response)]
    which = (one.subscription_id, one.moment, one.kind, one.event_id, one.event_type, one.subject)
    result = (one.attempt, one.ok, one.status, one.milliseconds)
    return (*which, *result, *texts)


async def prune(connection: AsyncConnection) -> None:
    """Delete old deliveries, 1,000 at a time, and the state of subscriptions that were removed long ago."""
    while (await connection.execute(_PRUNE, (MOST_ROWS, MOST_DAYS))).rowcount == 1_000:
        pass
    await connection.execute(_FORGET, (MOST_DAYS,))
    await connection.execute(_FORGET_CONFIRMATIONS, (MOST_DAYS,))
    await connection.execute(_FORGET_REQUESTS, (MOST_DAYS,))
