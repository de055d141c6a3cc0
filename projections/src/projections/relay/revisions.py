"""Reads the public columns of the revisions, in position order and without a gap."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from psycopg import AsyncConnection

from projections.event_log import without_gap
from read_model.public_events.envelope import COLUMNS, PublicEvent
from read_model.tables import REVISIONS

BATCH_REVISIONS: Final = 2_000
"""Revisions that share the cost of a Kafka transaction while the relay catches up."""
BATCH_BYTES: Final = 4_000_000

# A removed or erased record has no state. An event that could not be folded has none either, but no state
# precedes it. read.json_bytes() reads a large value's size from its TOAST pointer without fetching the value.
_SELECT: Final = f"""
SELECT {COLUMNS}, traceparent, public_state::text AS state, public_state IS NOT NULL OR (
  type IN (entity || '.removed', entity || '.erased') AND EXISTS (
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
