"""The progress of each subscription: a row of `notify.cursors`, which only the leading worker writes."""

from datetime import datetime
from typing import Final, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import args_row

from projections.notify.subscriptions import ENTITY

# A new subscription starts after its registration; a restored one continues.
_BEGIN: Final = f"""
INSERT INTO notify.cursors (subscription_id, position) VALUES (%(id)s, coalesce((
  SELECT max(position) FROM read.revisions
  WHERE entity = '{ENTITY}' AND entity_id = %(id)s AND type = '{ENTITY}.registered'
), (SELECT coalesce(max(position), 0) FROM read.revisions)))
ON CONFLICT DO NOTHING
"""  # noqa: S608 - constants of this project
_COLUMNS: Final = "position, attempts, failing_since, next_attempt_at, given_up_at, is_configured, welcomed"
_SELECT: Final = f"SELECT {_COLUMNS} FROM notify.cursors WHERE subscription_id = %s"  # noqa: S608 - as above
ADVANCE: Final = """
UPDATE notify.cursors AS one SET position = move.position, attempts = 0, failing_since = NULL,
  next_attempt_at = NULL, reason = NULL, is_configured = true, changed_at = clock_timestamp()
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS move (id, after, position)
WHERE one.subscription_id = move.id AND one.position = move.after AND one.given_up_at IS NULL
"""
"""Parameters: the ids, former and new positions of subscriptions."""
_FAIL: Final = """
UPDATE notify.cursors SET attempts = attempts + 1, failing_since = coalesce(failing_since, %s),
  next_attempt_at = %s, given_up_at = %s, reason = left(%s, 500), is_configured = true,
  changed_at = clock_timestamp()
WHERE subscription_id = %s AND position = %s AND given_up_at IS NULL
"""
_SUSPEND: Final = (
    "UPDATE notify.cursors SET is_configured = false WHERE subscription_id = %s AND is_configured"
)
_MOVE: Final = """
UPDATE notify.cursors SET
  position = least(coalesce(%s, position), (SELECT max(position) FROM read.revisions)),
  attempts = 0, failing_since = NULL, next_attempt_at = NULL, given_up_at = NULL, reason = NULL,
  changed_at = clock_timestamp()
WHERE subscription_id = %s
RETURNING position
"""


class CursorMoved(Exception):
    """A request, or another worker, has moved the cursor since it was read."""


class Cursor(NamedTuple):
    """The progress of a subscription."""

    position: int
    """The last position that was delivered, or that the subscription does not select."""
    attempts: int
    """Failed attempts to deliver what follows."""
    failing_since: datetime | None
    next_attempt_at: datetime | None
    given_up_at: datetime | None
    is_configured: bool
    """Whether the worker can deliver at all: mails need a server."""
    welcomed: list[bytes]
    """The addresses that were mailed a link to confirm them: see `mail.recipients.marks_of`."""


async def begin(connection: AsyncConnection, subscription_id: str) -> Cursor:
    """Return a subscription's progress; a new subscription starts after its registration."""
    await connection.execute(_BEGIN, {"id": subscription_id})
    async with connection.cursor(row_factory=args_row(Cursor)) as cursor:
        await cursor.execute(_SELECT, (subscription_id,))
        (found,) = await cursor.fetchall()
    return found


async def advance(connection: AsyncConnection, subscription_id: str, *, after: int, to: int) -> None:
    """Record that everything up to a position was delivered; raise CursorMoved unless it was at `after`."""
    await _require(connection, ADVANCE, ([subscription_id], [after], [to]))


async def fail(
    connection: AsyncConnection,
    subscription_id: str,
    *,
    after: int,
    now: datetime,
    next_attempt_at: datetime | None,
    reason: str,
) -> None:
    """Record a failed attempt; raise CursorMoved unless the cursor is at `after`.

    Args:
        next_attempt_at: None: the subscription is given up until an operator resumes it.
    """
    given_up_at = now if next_attempt_at is None else None
    parameters = (now, next_attempt_at, given_up_at, reason, subscription_id, after)
    await _require(connection, _FAIL, parameters)


async def suspend(connection: AsyncConnection, subscription_id: str) -> None:
    """Record that the installation lacks a setting without which nothing can be delivered."""
    await connection.execute(_SUSPEND, (subscription_id,))


async def move(connection: AsyncConnection, subscription_id: str, *, to: int | None) -> int:
    """Try again at once, after another position if one is given, also if the subscription was given up.

    Return the position.
    """
    ((position,),) = await (await connection.execute(_MOVE, (to, subscription_id))).fetchall()
    return int(position)


async def _require(connection: AsyncConnection, statement: str, parameters: tuple[object, ...]) -> None:
    if (await connection.execute(statement.encode(), parameters)).rowcount != 1:
        raise CursorMoved
