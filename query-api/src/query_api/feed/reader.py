"""Reads the public events from the revisions, each with its envelope."""

import asyncio
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from ops.base.records.entities import ACTOR
from query_api.database.source import Source, fetch, within_bytes
from query_api.feed.filters import EventFilter
from read_model.public_events.envelope import COLUMNS, Origin, PublicEvent, type_of
from read_model.tables import REVISIONS

CONCURRENT_READS: Final = 3
"""Bound on readers that catch up, so that most of the pool's connections remain for other queries."""

_SELECT: Final = sql.SQL(
    """
    SELECT position, entity, entity_id, type, moment, public_event
    FROM {table}
    WHERE position > %(after)s AND position <= %(upto)s AND {conditions}
    ORDER BY position
    LIMIT %(limit)s
    """
)
# Each row has the version of the revisions, read at the same moment.
_COLUMNS: Final = sql.SQL(
    "{columns}, (SELECT version FROM read.positions WHERE projection = {projection}) AS written_as"
).format(columns=sql.SQL(COLUMNS), projection=sql.Literal(REVISIONS.name))
_NOT_OF_ACTORS: Final = f"entity <> '{ACTOR.name}'"
"""Events about users are not public: their streams are named by the user's subject."""
_UNREADABLE: Final = "public_event ->> 'schema_version' IS NULL"


class OutdatedRevisionsError(psycopg.OperationalError):
    """The revisions were written by an earlier release, which may have published what this one masks."""


class FeedEvent(NamedTuple):
    """An encoded public event."""

    position: int
    entity: str
    type: str
    """Complete type, such as `fleetlog.driver.registered.v2`."""
    json: bytes
    """The event with its envelope, in one line."""


class FeedBatch(NamedTuple):
    """Consecutive wanted events."""

    events: list[FeedEvent]
    reached: int
    """The position up to which no other event is wanted."""


class EventReader:
    """Reads batches of the feed."""

    def __init__(self, source: Source, address: str) -> None:
        self._source = source
        self._address = address  # the product's public address
        self._slots = asyncio.Semaphore(CONCURRENT_READS)

    async def read(self, log_id: str, wanted: EventFilter, *, after: int, upto: int, limit: int) -> FeedBatch:
        """Read the next wanted events.

        Args:
            upto: the last position to read; all up to it must have been projected.
            limit: the maximum number of rows; fewer are read if they are long.

        Raises:
            OutdatedRevisionsError: the revisions have not been rebuilt for this release yet.
            psycopg.OperationalError: the database cannot be reached, or takes too long.
            psycopg_pool.PoolTimeout: all connections are in use, or the database cannot be reached.
        """
        async with self._slots:
            fetched = await self.rows(wanted, after=after, upto=upto, limit=limit)
        if any(version < REVISIONS.version for *_, version, _ in fetched):
            raise OutdatedRevisionsError
        rows = [PublicEvent(*row[:-2]) for row in fetched]
        found = fetched[0][-1] if fetched else 0
        origin = Origin(log_id, self._address)
        events = [
            FeedEvent(row.position, row.entity, kind, origin.structured(row).encode())
            for row in rows
            if wanted.matches(row.entity, kind := type_of(row))
        ]
        is_cut = len(rows) == limit or found > len(rows)
        return FeedBatch(events, rows[-1].position if is_cut else upto)

    async def rows(self, wanted: EventFilter, *, after: int, upto: int, limit: int) -> list[tuple[Any, ...]]:
        """Return a `PublicEvent`'s columns for each event that the filter may select; see `read`.

        Two more columns are the version of the revisions, and the number of rows found, including rows that
        were too long to be read.
        """
        names = {"entities": sorted(wanted.entities), "types": wanted.log_types or []}
        parameters = {"after": after, "upto": upto, "limit": limit, **names}
        return await fetch(self._source, _statement(wanted), parameters, prepare=wanted.is_empty)


def _statement(wanted: EventFilter) -> sql.Composed:
    """Return a statement that reads all events that the filter selects, and possibly more."""
    conditions = [_NOT_OF_ACTORS]
    if wanted.entities:
        conditions.append("entity = ANY(%(entities)s)")
    if wanted.log_types is not None:
        of_types = "type = ANY(%(types)s)"
        conditions.append(f"({of_types} OR {_UNREADABLE})" if wanted.wants_unreadable else of_types)
    rows = _SELECT.format(
        table=REVISIONS.identifier,
        conditions=sql.SQL(" AND ").join(map(sql.SQL, conditions)),
    )
    return within_bytes(rows, columns=_COLUMNS, size="read.json_bytes(public_event)", key="position")
