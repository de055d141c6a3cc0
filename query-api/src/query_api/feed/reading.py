"""Reading the public events out of the revisions, each with its envelope."""

import asyncio
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from ops.base.records.entities import ACTOR
from projections.public_events.envelope import COLUMNS, Origin, PublicEvent, type_of
from projections.tables import REVISIONS
from query_api.feed.filters import Filter
from query_api.reading.source import Source, fetch, within_bytes

CONCURRENT_READS: Final = 3
"""However many catch up at once, most of the pool's connections are left to other queries."""

_SELECT: Final = sql.SQL(
    """
    SELECT position, entity, entity_id, type, moment, public_event
    FROM {table}
    WHERE position > %(after)s AND position <= %(upto)s AND {conditions}
    ORDER BY position
    LIMIT %(limit)s
    """
)
# With each event, which release's form all of them have: seen at the same moment.
_COLUMNS: Final = sql.SQL(
    "{columns}, (SELECT version FROM read.positions WHERE projection = {projection}) AS written_as"
).format(columns=sql.SQL(COLUMNS), projection=sql.Literal(REVISIONS.name))
_NOT_OF_ACTORS: Final = f"entity <> '{ACTOR.name}'"
"""What is decided about those who act is public to nobody: the stream is called by their subject."""
_UNREADABLE: Final = "public_event ->> 'schema_version' IS NULL"


class WrittenByAnother(psycopg.OperationalError):
    """What is there was written by an earlier release, which may have shown what this one masks."""


class FeedEvent(NamedTuple):
    """A public event, ready to be sent."""

    position: int
    entity: str
    type: str
    """In full, such as `fleetlog.driver.registered.v2`."""
    json: bytes
    """With its envelope, in one line."""


class Batch(NamedTuple):
    """A part of the feed."""

    events: list[FeedEvent]
    reached: int
    """The position up to which nothing else is wanted."""


class Reader:
    """Reads parts of the feed."""

    def __init__(self, source: Source, address: str) -> None:
        """Prepare to read.

        Args:
            source: what is read; its connections are given back before anything is sent.
            address: the product's public address.
        """
        self._source = source
        self._address = address
        self._free = asyncio.Semaphore(CONCURRENT_READS)

    async def read(self, log_id: str, wanted: Filter, *, after: int, upto: int, limit: int) -> Batch:
        """Read the next events that are wanted.

        Args:
            log_id: which log it is.
            wanted: the filter.
            after: the position after which to begin.
            upto: the last position to look at; all up to it must have been projected.
            limit: how many rows to read at most, of those a filter may want fewer; they are fewer where they
                are long.

        Raises:
            WrittenByAnother: the revisions are yet to be written anew.
            psycopg.OperationalError: the database cannot be reached, or takes too long.
            psycopg_pool.PoolTimeout: all connections are in use, or the database cannot be reached.
        """
        async with self._free:
            fetched = await self.rows(wanted, after=after, upto=upto, limit=limit)
        if any(written_as < REVISIONS.version for *_, written_as, _ in fetched):
            raise WrittenByAnother
        rows = [PublicEvent(*row[:-2]) for row in fetched]
        found = fetched[0][-1] if fetched else 0
        origin = Origin(log_id, self._address)
        events = [
            FeedEvent(row.position, row.entity, kind, origin.structured(row).encode())
            for row in rows
            if wanted.fits(row.entity, kind := type_of(row))
        ]
        is_cut = len(rows) == limit or found > len(rows)
        return Batch(events, rows[-1].position if is_cut else upto)

    async def rows(self, wanted: Filter, *, after: int, upto: int, limit: int) -> list[tuple[Any, ...]]:
        """Return a `PublicEvent`'s columns for each event that may be wanted; see `read`.

        After them come which release's form they have, and how many were found: not all may be there.
        """
        names = {"entities": sorted(wanted.entities), "types": wanted.log_types or []}
        parameters = {"after": after, "upto": upto, "limit": limit, **names}
        return await fetch(self._source, _statement(wanted), parameters, prepare=wanted.lets_all_through)


def _statement(wanted: Filter) -> sql.Composed:
    """What reads all that is wanted, and maybe more; `Filter.fits` decides."""
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
