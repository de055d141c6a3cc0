"""Reads the public events that subscriptions select."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection

from ops.base.database.pools import Pool
from ops.base.database.shared_reads import SharedReads
from ops.base.records.entities import ACTOR
from projections.event_log import without_gap
from projections.notify.subscriptions import Subscription
from read_model.public_events.envelope import COLUMNS, UNREADABLE, PublicEvent

BATCH_EVENTS: Final = 500
BATCH_BYTES: Final = 4_000_000

_SELECT: Final = f"""
SELECT {COLUMNS}
FROM (
  SELECT next_revisions.*, sum(bytes) OVER (ORDER BY position) - bytes AS bytes_before
  FROM (
    SELECT position, entity, entity_id, type, moment, public_event, read.json_bytes(public_event) AS bytes
    FROM read.revisions WHERE position > %s AND position <= %s ORDER BY position LIMIT {BATCH_EVENTS}
  ) AS next_revisions
) AS measured
WHERE bytes_before < {BATCH_BYTES}
ORDER BY position
"""  # noqa: S608 - constants of this project


class EventBatch(NamedTuple):
    """Selected events, in the order of the log."""

    events: list[PublicEvent]
    reached: int
    """The position up to which no other event is selected."""


async def read_events(
    connection: AsyncConnection, subscription: Subscription, *, after: int, upto: int
) -> EventBatch:
    """Read the next batch of public events; raise LogGap if the next position is missing.

    Args:
        upto: the last position to read; the revisions must contain it.
    """
    return select(subscription, await _read(connection, after, upto), after=after)


def shared_events(pool: Pool) -> SharedReads[tuple[int, int], Sequence[PublicEvent]]:
    """Return a reader of the events between two positions, which subscriptions at the same position share."""

    async def read(ranges: list[tuple[int, int]]) -> dict[tuple[int, int], Sequence[PublicEvent]]:
        async with pool.connection() as connection:
            return {one: await _read(connection, *one) for one in ranges}

    return SharedReads(read)


def select(subscription: Subscription, events: Sequence[PublicEvent], *, after: int) -> EventBatch:
    """Return those of the events after a position that a subscription selects."""
    selected = [event for event in events if is_selected(subscription, event)]
    return EventBatch(selected, events[-1].position if events else after)


async def _read(connection: AsyncConnection, after: int, upto: int) -> Sequence[PublicEvent]:
    rows = await (await connection.execute(_SELECT, (after, upto), binary=True)).fetchall()
    return without_gap([PublicEvent(*row) for row in rows], after=after)


async def read_event(connection: AsyncConnection, position: int) -> PublicEvent | None:
    """Return the public event at a position, if there is one."""
    cursor = await connection.execute(_SELECT, (position - 1, position), binary=True)
    row = await cursor.fetchone()
    event = PublicEvent(*row) if row else None
    return event if event and event.entity != ACTOR.name else None


def is_selected(subscription: Subscription, event: PublicEvent) -> bool:
    """Return whether a subscription selects an event; events about users are not public."""
    kind = UNREADABLE if event.schema_version is None else event.type.partition(".")[2]
    return (
        event.entity != ACTOR.name
        and (not subscription.entity_types or event.entity in subscription.entity_types)
        and (not subscription.event_kinds or kind in subscription.event_kinds)
        and (not subscription.filter or _meets(subscription.filter, json.loads(event.data)))
    )


def _meets(conditions: Iterable[str], data: dict[str, Any]) -> bool:
    """Return whether an event sets each field of some conditions `field=value` to one of its values."""
    values = {name: ends.get("to") for name, ends in data.get("changes", {}).items()}
    values |= data.get("details", {})
    expected: dict[str, list[str]] = {}
    for condition in conditions:
        name, _, text = condition.partition("=")
        expected.setdefault(name, []).append(text)
    return all(any(_is(values.get(name), text) for text in texts) for name, texts in expected.items())


def _is(value: object, text: str) -> bool:
    with suppress(ValueError):
        return float(text) == value if isinstance(value, int | float) else value == text
    return False
