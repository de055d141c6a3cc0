"""Reading what is published of the revisions, in position order and without a gap."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple

from opentelemetry.trace import Span, SpanKind
from psycopg import AsyncConnection

from ops.base.observability import tracing
from projections.public_events.envelope import COLUMNS, PublicEvent
from projections.reading.log import without_gap
from projections.tables import REVISIONS

BATCH_REVISIONS: Final = 2_000
"""Far behind, the cost of a transaction in Kafka is shared by so many."""
BATCH_BYTES: Final = 4_000_000

# What was removed or erased has no state; nor has what could not be folded, but then there was no state
# before it either.
# read.json_bytes() reads a large value's size from its pointer: nothing is fetched only to be counted.
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
"""  # noqa: S608 - put together from our own constants


class RelayedRevision(NamedTuple):
    """A revision as far as it is published."""

    event: PublicEvent
    traceparent: str | None
    """Of the request that caused it; for this product's own traces, and not published."""
    state: str | None
    """JSON: what is public of the record after the event."""
    is_folded: bool
    """Whether the state after the event is known; where it is and `state` is None, the event removed it."""

    @property
    def position(self) -> int:
        """The log's position."""
        return self.event.position


async def read_revisions(connection: AsyncConnection, *, after: int) -> Sequence[RelayedRevision]:
    """Read the revisions that follow a position: many if there are many, but no more than fit into a batch.

    Raises:
        LogGap: the very next revision is missing although later ones exist.
    """
    parameters = {"after": after, "revisions": BATCH_REVISIONS, "bytes": BATCH_BYTES}
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(_SELECT, parameters)
        rows = await cursor.fetchall()
    width = len(PublicEvent._fields)
    return without_gap(
        [RelayedRevision(PublicEvent(*row[:width]), *row[width:]) for row in rows], after=after
    )


def tracing_of_relaying(revisions: Sequence[RelayedRevision]) -> AbstractContextManager[Span]:
    """Trace that some revisions are published, linked to the requests that caused them."""
    return tracing.span(
        "publish",
        kind=SpanKind.PRODUCER,
        linked=(revision.traceparent for revision in revisions),
        attributes={
            "fleetlog.first_position": revisions[0].position,
            "fleetlog.last_position": revisions[-1].position,
        },
    )


async def read_revisions_head(connection: AsyncConnection) -> int:
    """Return the last position that has a revision; 0: none has."""
    cursor = await connection.execute("SELECT coalesce(max(position), 0) FROM read.revisions")
    ((head,),) = await cursor.fetchall()
    return int(head)
