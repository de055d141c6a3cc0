"""The projection that keeps an entity table."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from psycopg import sql

from command_api.event_store.records import RecordedEvent
from projections.engine.projection import Changes
from projections.engine.states import STATES_BYTES, Known, Question, Stream
from projections.engine.writes import Insertion, Write
from projections.entity_tables.folding import fold
from projections.entity_tables.searching import UPSERT_TERMS
from projections.tables import EntityTable, next_table

_LOAD: Final = sql.SQL(
    """
    SELECT {entity}, id, version, state::text, is_quarantined, key_id, box
    FROM (
      SELECT stream.id, kept.version, kept.record AS state, kept.key_id, kept.box,
        quarantined.position IS NOT NULL AS is_quarantined,
        coalesce(sum(read.json_bytes(kept.record) + coalesce(octet_length(kept.box), 0)) OVER (
          ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before
      FROM unnest(%b::text[]) WITH ORDINALITY AS stream (id, number)
      LEFT JOIN {table} AS kept ON kept.id = stream.id
      LEFT JOIN read.quarantined_streams AS quarantined
        ON quarantined.projection = {projection} AND quarantined.originator_id = {entity} || ':' || stream.id
    ) AS measured
    WHERE bytes_before < {bytes}
    """
)
_UPSERT: Final = Insertion(
    (
        ("id", "text"),
        ("version", "bigint"),
        ("position", "bigint"),
        ("record", "json"),
        ("list_item", "json"),
        ("key_id", "text"),
        ("box", "bytea"),
        ("restricted", "boolean"),
    ),
    """
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version,
      position = excluded.position,
      record = excluded.record,
      list_item = excluded.list_item,
      key_id = excluded.key_id,
      box = excluded.box,
      restricted = excluded.restricted
    """,
)


@cache
def _load(table: EntityTable) -> bytes:
    return _LOAD.format(
        entity=sql.Literal(table.entity.name),
        table=table.identifier,
        projection=sql.Literal(table.name),
        bytes=sql.Literal(STATES_BYTES),
    ).as_bytes(None)


class EntityProjection:
    """Keeps one row for every registered entity of one type, and beside it what it is searched and sorted by.

    The row is the only memory of its stream: the next fold starts from it. A stream with an event that cannot
    be applied is set aside at that event, and its row stays as it was before; all others go on.
    """

    def __init__(self, table: EntityTable) -> None:
        """Create the projection of a table."""
        self.table = table
        self.prefix = f"{table.entity.name}:"

    key: Final = "id"

    def on_next_table(self) -> "EntityProjection":
        """See `Projection.on_next_table`."""
        return EntityProjection(next_table(self.table))

    def question(self, streams: Sequence[Stream]) -> Question:
        """See `Projection.question`."""
        return Question(_load(self.table), ([entity_id for _, entity_id in streams],), self.table.sealed_as)

    def fold(self, events: Sequence[RecordedEvent], known: Known) -> Changes:
        """See `Projection.fold`."""
        entity = self.table.entity.name
        folded = {
            entity_id: fold(self.table, known.states.get((entity, entity_id)), events)
            for entity_id, events in by_stream(events).items()
            if (entity, entity_id) not in known.set_aside
        }
        changed = {entity_id: stream for entity_id, stream in folded.items() if stream.applied}
        made = [stream.made for stream in changed.values() if stream.made]
        removed = [entity_id for entity_id, stream in changed.items() if stream.made is None]
        writes = [Write(self.table, _UPSERT, [one.row for one in made], removed)]
        if not self.table.is_next:  # the rows of a next table are not searched yet
            found = [one.terms for one in made if one.terms]
            hidden = [one.row.id for one in made if one.terms is None]
            writes.append(Write(self.table.search, UPSERT_TERMS, found, [*removed, *hidden]))
        return Changes(
            max((stream.applied for stream in changed.values()), default=None),
            writes,
            {self.prefix + entity_id: one.failure for entity_id, one in folded.items() if one.failure},
            {(entity, entity_id): one.state for entity_id, one in folded.items()},
        )


def by_stream(events: Iterable[RecordedEvent]) -> dict[str, list[RecordedEvent]]:
    """Group events of one entity type by id, each group in the events' order."""
    streams: dict[str, list[RecordedEvent]] = {}
    for event in events:
        streams.setdefault(event.entity_id, []).append(event)
    return streams
