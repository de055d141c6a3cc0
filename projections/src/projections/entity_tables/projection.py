"""The projection that maintains an entity table."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from psycopg import sql

from command_api.event_store.records import RecordedEvent
from projections.engine.projection import Changes
from projections.engine.states import STATES_BYTES, KnownStates, StateQuery, Stream
from projections.engine.writes import Insertion, Write
from projections.entity_tables.fold import fold
from projections.entity_tables.search_terms import UPSERT_TERMS
from read_model.tables import EntityTable, next_table

_LOAD: Final = sql.SQL(
    """
    SELECT {entity}, id, version, state::text, is_quarantined, key_id, ciphertext
    FROM (
      SELECT stream.id, kept.version, kept.record AS state, kept.key_id, kept.ciphertext,
        quarantined.position IS NOT NULL AS is_quarantined,
        coalesce(sum(read.json_bytes(kept.record) + coalesce(octet_length(kept.ciphertext), 0)) OVER (
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
        ("ciphertext", "bytea"),
        ("restricted", "boolean"),
    ),
    """
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version,
      position = excluded.position,
      record = excluded.record,
      list_item = excluded.list_item,
      key_id = excluded.key_id,
      ciphertext = excluded.ciphertext,
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
    """Maintains a row, and its search terms, for every registered entity of one type.

    The row is the only memory of its stream: the next fold starts from it. A stream with an event that cannot
    be applied is quarantined at that event, and its row stays as it was before.
    """

    key: Final = "id"

    def __init__(self, table: EntityTable) -> None:
        self.table = table
        self.prefix = f"{table.entity.name}:"

    def on_next_table(self) -> "EntityProjection":
        """Return the projection into the table that a rebuild fills."""
        return EntityProjection(next_table(self.table))

    def state_query(self, streams: Sequence[Stream]) -> StateQuery:
        """Return the query for the rows of the streams."""
        return StateQuery(
            _load(self.table), ([entity_id for _, entity_id in streams],), self.table.encrypted_as
        )

    def fold(self, events: Sequence[RecordedEvent], known: KnownStates) -> Changes:
        """Fold each stream that is not quarantined."""
        entity = self.table.entity.name
        streams: dict[str, list[RecordedEvent]] = {}
        for event in events:
            streams.setdefault(event.entity_id, []).append(event)
        folded = {
            entity_id: fold(self.table, known.states.get((entity, entity_id)), its_events)
            for entity_id, its_events in streams.items()
            if (entity, entity_id) not in known.quarantined
        }
        changed = {entity_id: stream for entity_id, stream in folded.items() if stream.applied}
        entries = [stream.entry for stream in changed.values() if stream.entry]
        removed = [entity_id for entity_id, stream in changed.items() if stream.entry is None]
        writes = [Write(self.table, _UPSERT, [one.row for one in entries], removed)]
        if not self.table.is_next:  # the rows of a next table are not searched yet
            terms = [one.terms for one in entries if one.terms]
            restricted = [one.row.id for one in entries if one.terms is None]
            writes.append(Write(self.table.search, UPSERT_TERMS, terms, [*removed, *restricted]))
        return Changes(
            max((stream.applied for stream in changed.values()), default=None),
            writes,
            {self.prefix + entity_id: one.failure for entity_id, one in folded.items() if one.failure},
            {(entity, entity_id): one.state for entity_id, one in folded.items()},
        )
