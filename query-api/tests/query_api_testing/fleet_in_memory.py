"""A fleet without a database: what the query API reads, for tests of whatever is not about reading it."""

import json
import uuid
from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta
from itertools import accumulate
from typing import Any, TypeVar, cast

from projections_testing.fleet import BEGIN, Fleet

from command_api.domain.aggregate import Aggregate
from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.connection import BoundedConnection
from projections.public_events.envelope import PublicEvent
from projections.revisions.revision import revise
from projections.tables import REVISIONS, EntityTable
from query_api.audit.accesses import AccessLog
from query_api.audit.timeline import Timeline
from query_api.bounds import PART_BYTES
from query_api.feed.filters import Filter
from query_api.feed.reading import Reader
from query_api.history.past_lists import PastLists
from query_api.history.reading import Histories
from query_api.paging.view import View
from query_api.readers import Readers
from query_api.reading import Content, Missing, ProjectionProgress, ReadTables

ADDRESS = "https://fleet.example"

T = TypeVar("T")


class FleetInMemory(Fleet):
    """Decides changes as the command API does; the feed tells of each at once, the tables stay empty.

    Attributes:
        log_id: its log's name.
        events: what the feed tells, in its order.
        readers: what a query API reads it with.
    """

    def __init__(self) -> None:
        """Begin with an empty fleet."""
        self.position = 0
        self.log_id = uuid.uuid4().hex
        self.events: list[PublicEvent] = []
        self._aggregates: dict[tuple[str, str], Aggregate] = {}
        tables, nothing = _Tables(self), _Nothing()
        self.readers = Readers(
            primary=tables,
            tables=tables,
            histories=Histories(nothing),
            past_lists=PastLists(nothing),
            timeline=Timeline(nothing),
            accesses=AccessLog(nothing),
            events=_Events(self),
        )

    def append(self, event: Event) -> None:
        """See `Fleet.append`."""
        position, moment = self.position + 1, BEGIN + timedelta(seconds=self.position + 1)
        before = self.aggregate(event.entity, event.entity_id)
        recorded = RecordedEvent.of(MAPPER.to_stored_event(event), position, moment)
        reported = revise(before.state, recorded)[0].public_event
        schema = json.loads(reported)["schema_version"]
        self._aggregates[event.entity, event.entity_id] = before.after(event, moment)
        self.tell(PublicEvent(position, event.entity, event.entity_id, event.type, moment, schema, reported))

    def tell(self, *events: PublicEvent) -> None:
        """Let the feed go on with events, the first of which has the next position."""
        self.events += events
        self.position = len(self.events)
        self.readers.wakeups.notify("")


class _Events(Reader):
    def __init__(self, fleet: FleetInMemory) -> None:
        super().__init__(_Nothing(), ADDRESS)
        self._fleet = fleet

    async def rows(self, wanted: Filter, *, after: int, upto: int, limit: int) -> list[tuple[Any, ...]]:
        of_entities = [
            event
            for event in self._fleet.events[after:upto]
            if not wanted.entities or event.entity in wanted.entities
        ]
        found = of_entities[:limit]
        sizes = accumulate((len(event.data) for event in found), initial=0)
        held = [event for event, before in zip(found, sizes, strict=False) if before < PART_BYTES]
        return [(*event, REVISIONS.version, len(found)) for event in held]


class _Tables(ReadTables):
    def __init__(self, fleet: FleetInMemory) -> None:
        super().__init__(_Nothing())
        self._fleet = fleet

    async def list(
        self, table: EntityTable, view: View | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        if view is not None:
            raise NotImplementedError("pages are made by the database")
        etag = f'"{self._fleet.log_id}-{table.version}"'
        return Content(etag, None if etag in known_etags else b'{"content":[]}', stale=False)

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        return Missing()

    async def progress(self, projection: str) -> ProjectionProgress:
        version = REVISIONS.version if projection == REVISIONS.name and self._fleet.position else 0
        return ProjectionProgress(self._fleet.log_id, self._fleet.position, self._fleet.position, version)


class _Nothing:
    """A source in which every statement finds nothing."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        return await read(cast("BoundedConnection", self))

    def cursor(self, **_: Any) -> "_Nothing":
        return self

    async def __aenter__(self) -> "_Nothing":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def execute(self, *_: Any, **__: Any) -> "_Nothing":
        return self

    async def fetchall(self) -> list[Any]:
        return []
