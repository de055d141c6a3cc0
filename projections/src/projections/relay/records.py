"""The public columns of the revisions, and their Kafka records: the event, and the state after it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from psycopg import AsyncConnection

from command_api.domain.catalogue import DEFINITIONS
from ops.base.http.consistency import LogPosition
from projections.event_log import without_gap
from read_model.public_events.envelope import (
    COLUMNS,
    DATA_CONTENT_TYPE,
    Origin,
    PublicEvent,
    events_topic,
    header,
    state_topic,
)
from read_model.tables import REVISIONS

Headers = list[tuple[str, bytes]]

EVENT_ID_HEADER: Final = "ce_id"
POSITION_HEADER: Final = "fleetlog-position"
"""Header of a state: `<log id>:<position>` of its event, as in the HTTP header of that name."""
_CONTENT_TYPE: Final = ("content-type", DATA_CONTENT_TYPE.encode())
TOPICS: Final = tuple(topic(entity) for entity in DEFINITIONS for topic in (events_topic, state_topic))

BATCH_REVISIONS: Final = 2_000
"""Revisions that share the cost of a Kafka transaction while the relay catches up."""
BATCH_BYTES: Final = 4_000_000

# A removed or erased record has no state. An event that could not be folded has none either, but no state
# precedes it. read.json_bytes() reads a large value's size from its TOAST pointer without fetching the value.
_SELECT: Final = f"""
SELECT {COLUMNS}, traceparent, public_state::text AS state, public_state IS NOT NULL OR (
  type IN (entity || '.removed', entity || '.merged_into', entity || '.erased') AND EXISTS (
    SELECT FROM read.revisions AS before
    WHERE before.entity = measured.entity AND before.entity_id = measured.entity_id
      AND before.version = measured.version - 1 AND before.public_state IS NOT NULL
  )
) AS is_folded
FROM (
  SELECT next_revisions.*, sum(bytes) OVER (ORDER BY position) - bytes AS bytes_before
  FROM (
    SELECT {", ".join(REVISIONS.published)},
      read.json_bytes(public_event) + coalesce(read.json_bytes(public_state), 0) AS bytes
    FROM read.revisions
    WHERE position > %(after)s
    ORDER BY position
    LIMIT %(revisions)s
  ) AS next_revisions
) AS measured
WHERE bytes_before < %(bytes)s
ORDER BY position
"""  # noqa: S608 - constants of this project


class PublicRevision(NamedTuple):
    """The public part of a revision."""

    event: PublicEvent
    traceparent: str | None
    """The trace context of the request; for this product's own traces, and not published."""
    state: str | None
    """JSON: the public part of the record after the event."""
    is_folded: bool
    """Whether the state after the event is known; None as `state` then means a removal."""

    @property
    def position(self) -> int:
        """The event's position in the log."""
        return self.event.position


class KafkaRecord(NamedTuple):
    """A Kafka record to send."""

    topic: str
    key: bytes
    value: bytes | None
    """None removes the key from a compacted topic."""
    headers: Headers
    position: int
    """The position of the event in the log."""


async def read_revisions(connection: AsyncConnection, *, after: int) -> Sequence[PublicRevision]:
    """Read a batch of revisions after a position; raise LogGap if the next one is missing."""
    parameters = {"after": after, "revisions": BATCH_REVISIONS, "bytes": BATCH_BYTES}
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(_SELECT, parameters)
        rows = await cursor.fetchall()
    width = len(PublicEvent._fields)
    return without_gap([PublicRevision(PublicEvent(*row[:width]), *row[width:]) for row in rows], after=after)


async def read_revisions_head(connection: AsyncConnection) -> int:
    """Return the position of the last revision, or 0."""
    cursor = await connection.execute("SELECT coalesce(max(position), 0) FROM read.revisions")
    ((head,),) = await cursor.fetchall()
    return int(head)


def records_of(revision: PublicRevision, origin: Origin) -> list[KafkaRecord]:
    """Return the records of a revision: the event, and a state or a tombstone.

    An event that could not be folded has no second record, because the state is unknown. An entity type of a
    later release has no topic, and so no records.
    """
    event = revision.event
    if event.entity not in DEFINITIONS:
        return []
    key = event.entity_id.encode()
    headers = [(header(name), value.encode()) for name, value in origin.attributes(event).items()]
    records = [KafkaRecord(events_topic(event.entity), key, event.data.encode(), headers, event.position)]
    if revision.is_folded:
        state, headers = None, [(POSITION_HEADER, str(LogPosition(origin.log_id, event.position)).encode())]
        if revision.state is not None:
            state = revision.state.encode()
            headers.append(_CONTENT_TYPE)
        records.append(KafkaRecord(state_topic(event.entity), key, state, headers, event.position))
    return records


def position_of_record(headers: Headers) -> LogPosition | None:
    """Return the log position in a record's headers; None if another producer wrote the record."""
    known = dict(headers)
    text = known.get(EVENT_ID_HEADER) or known.get(POSITION_HEADER)
    return LogPosition.parse(text.decode(errors="replace")) if text else None
