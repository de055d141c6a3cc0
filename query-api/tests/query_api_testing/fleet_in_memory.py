"""A fleet without a database: what the query API reads, for tests of whatever is not about PostgreSQL."""

import json
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any, TypeVar, cast

import psycopg
from projections_testing.fleet import BEGIN, Fleet

from command_api.domain.aggregate import Aggregate
from command_api.domain.events import Event
from command_api.domain.folding import State
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.database.connection import BoundedConnection
from ops.base.http.openapi import example_of
from ops.base.http.record_etags import RecordETag
from ops.base.records.entities import EntityType
from ops.base.records.json_values import to_json
from ops.base.sign_in import Actor
from projections.public_events.envelope import PublicEvent
from projections.revisions.revision import revise
from projections.tables import REVISIONS, EntityTable
from query_api.audit.accesses import AccessLog
from query_api.audit.days import Days
from query_api.audit.timeline import Timeline
from query_api.due.statement import DRIVERS
from query_api.feed.filters import Filter
from query_api.feed.reading import Reader
from query_api.freshness.progress import ProjectionProgress, Projections
from query_api.history.authors import Authors
from query_api.history.histories import Histories
from query_api.history.past_lists import PastLists
from query_api.history.past_states import PastStates
from query_api.history.wire import actor_json, moment_text
from query_api.http.parts import PartParameters
from query_api.http.representation import Content, Missing
from query_api.paging.view import View
from query_api.privacy.actors import KnownActors
from query_api.privacy.reading import Requests
from query_api.reading.bounds import PART_BYTES
from query_api.reading.lists import Lists
from query_api.reading.readers import Readers
from query_api.reading.records import Records
from query_api.saved_views.reading import SavedViews
from query_api.system.models import Alert, System
from query_api.views.reading import Views, instant
from query_api.views.seen import Seen
from query_api_testing.due_in_memory import DueInMemory
from query_api_testing.pages_in_memory import ChoicesInMemory, page_of
from query_api_testing.past_in_memory import PastInMemory

ADDRESS = "https://fleet.example"

T = TypeVar("T")


class FleetInMemory(Fleet):
    """Decides changes as the command API does; all that can be read shows each at once.

    Attributes:
        log_id: its log's name.
        log: its events.
        past: its revisions.
        events: the feed's, in its order.
        readers: what a query API reads it with.
    """

    def __init__(self) -> None:
        """Begin with an empty fleet."""
        self.position = 0
        self.log_id = uuid.uuid4().hex
        self.past = PastInMemory(self.log_id)
        self.log: list[RecordedEvent] = []
        self.events: list[PublicEvent] = []
        self._aggregates: dict[tuple[str, str], Aggregate] = {}
        self._states: dict[str, State | None] = {}
        tables = TablesInMemory(self)
        self.readers = Readers(
            projections=cast("Projections", tables),
            lists=cast("Lists", tables),
            records=cast("Records", tables),
            histories=cast("Histories", self.past),
            past_states=cast("PastStates", self.past),
            authors=cast("Authors", self.past),
            past_lists=cast("PastLists", self.past),
            choices=ChoicesInMemory(tables.items),
            due=DueInMemory(lambda: tables.items(DRIVERS)),
            timeline=cast("Timeline", self.past),
            days=cast("Days", self.past),
            accesses=AccessesInMemory(),
            views=ViewsInMemory(),
            requests=Requests(_Nothing()),
            actors=KnownActors(_Nothing(), _Nothing(), Requests(_Nothing()), SavedViews(_Nothing())),
            saved_views=SavedViews(_Nothing()),
            events=EventsInMemory(self),
            operations=NoOperations(),
        )

    @classmethod
    def of_log(cls, connection: psycopg.Connection) -> "FleetInMemory":
        """Return the fleet that a log in PostgreSQL adds up to."""
        fleet = cls()
        rows = connection.execute(
            "SELECT originator_id, originator_version, topic, state, notification_id, moment"
            " FROM log.events ORDER BY notification_id"
        )
        for columns in rows:
            fleet.hold(RecordedEvent(*columns))
        ((fleet.log_id,),) = connection.execute("SELECT log_id FROM log.identity").fetchall()
        fleet.past.log_id = fleet.log_id
        return fleet

    def append(self, event: Event) -> None:
        """See `Fleet.append`."""
        position, moment = self.position + 1, BEGIN + timedelta(seconds=self.position + 1)
        before = self.aggregate(event.entity, event.entity_id)
        self._aggregates[event.entity, event.entity_id] = before.after(event, moment)
        self.hold(RecordedEvent.of(MAPPER.to_stored_event(event), position, moment))

    def hold(self, recorded: RecordedEvent) -> None:
        """Let the log go on with an event, whatever it says."""
        stream = recorded.originator_id
        self.log.append(recorded)
        revision, self._states[stream] = revise(self._states.get(stream), recorded)
        self.past.revisions.append(revision)
        entity, entity_id, public = revision.entity, revision.entity_id, revision.public_event
        schema = json.loads(public).get("schema_version")
        self.publish(
            PublicEvent(recorded.position, entity, entity_id, recorded.topic, recorded.moment, schema, public)
        )

    def publish(self, *events: PublicEvent) -> None:
        """Let the feed go on with events, the first of which has the next position."""
        self.events += events
        self.position = len(self.events)
        self.readers.notified.notify("")


class EventsInMemory(Reader):
    """Reads the feed's events from a fleet."""

    def __init__(self, fleet: FleetInMemory) -> None:
        super().__init__(_Nothing(), ADDRESS)
        self._fleet = fleet

    async def rows(self, wanted: Filter, *, after: int, upto: int, limit: int) -> list[tuple[Any, ...]]:
        """See `Reader`."""
        of_entities = [
            event
            for event in self._fleet.events[after:upto]
            if not wanted.entities or event.entity in wanted.entities
        ]
        found = of_entities[:limit]
        sizes = accumulate((len(event.data) for event in found), initial=0)
        held = [event for event, before in zip(found, sizes, strict=False) if before < PART_BYTES]
        return [(*event, REVISIONS.version, len(found)) for event in held]


class TablesInMemory:
    """Shows the last states of a fleet's entities, as `Lists`, `Records` and `Projections` do."""

    def __init__(self, fleet: FleetInMemory) -> None:
        self._fleet = fleet

    async def list(
        self, table: EntityTable, view: View | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        """See `Lists`."""
        revisions = self._fleet.past.revisions
        changed = max((one.position for one in revisions if one.entity == table.entity.name), default=0)
        tag = "" if view is None else f"-{view.tag}"
        etag = f'"{self._fleet.log_id}-{table.version}-0-{changed}{tag}"'
        if etag in known_etags:
            return Content(etag, None, stale=False)
        items = [*self.items(table)]
        if view is not None:
            page = page_of(table, items, view)
            return Content(etag, page.encode(), stale=False, count=len(json.loads(page)["content"]))
        return Content(etag, f'{{"content":[{",".join(map(to_json, items))}]}}'.encode(), stale=False)

    def items(self, table: EntityTable) -> Sequence[dict[str, Any]]:
        """Return the records of a type, as lists show them."""
        past = self._fleet.past
        states = [one.state for one in past.latest_of(table.entity, len(past.revisions)) if one.state]
        return [table.entity.list_item(json.loads(state)) for state in states]

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """See `Records`."""
        known = self._fleet.past.of(table.entity, entity_id)
        if not known or known[-1].state is None:
            return Missing()
        body = table.entity.wrap_json(known[-1].state.encode())
        return Content(str(RecordETag.of(known[-1].version, self._fleet.log_id, body)), body, stale=False)

    async def progress(self, projection: str) -> ProjectionProgress:
        """See `Projections`."""
        version = REVISIONS.version if projection == REVISIONS.name and self._fleet.position else 0
        return ProjectionProgress(self._fleet.log_id, self._fleet.position, self._fleet.position, version)


class AccessesInMemory(AccessLog):
    """Remembers accesses for as long as it is there."""

    def __init__(self) -> None:
        super().__init__(_Nothing())
        self._recorded: list[dict[str, Any]] = []

    async def record(self, actor: Actor, request_id: str, action: str, details: dict[str, Any]) -> None:
        """See `AccessLog`."""
        moment = moment_text(datetime.now(BEGIN.tzinfo))
        who = {"moment": moment, "actor": actor_json(actor.sub, actor.name), "request_id": request_id}
        number = len(self._recorded) + 1
        self._recorded.append({"number": number, **who, "action": action, "details": details})

    async def part(
        self, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[dict[str, Any]], int | None]:
        """See `AccessLog`."""
        return self._recorded[: part.limit], None


class ViewsInMemory(Views):
    """Remembers who was shown what for as long as it is there.

    Attributes:
        recorded: JSON, as it was told, in its order.
    """

    def __init__(self) -> None:
        super().__init__(_Nothing(), _Nothing())
        self.recorded: list[dict[str, Any]] = []

    async def record(self, batch_id: uuid.UUID, batch: bytes) -> None:
        """See `Views`."""
        told = json.loads(batch)
        names = ("moment", "id", "request_id", "filter", "count", "search")
        for who, what, *rest in told["views"]:
            one = {"actor": told["who"][who], **told["what"][what], **dict(zip(names, rest, strict=False))}
            assert one["entity"] is None or any(one["entity"] in subject for subject in told["subjects"])
            self.recorded.append({**one, "moment": instant(one["moment"])})

    async def of_all(
        self, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[Seen], int | None]:
        """See `Views`."""
        return self._seen()[: part.limit], None

    async def of(
        self, entity: EntityType, entity_id: str, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[Seen], int | None]:
        """See `Views`."""
        concerned = ((entity.name, entity_id), (entity.name, None), (None, entity_id), (None, None))
        found = [seen for seen in self._seen() if (seen.said["entity"], seen.said["id"]) in concerned]
        return found[: part.limit], None

    def _seen(self) -> list[Seen]:
        return [Seen(number, one, BEGIN) for number, one in enumerate(self.recorded, 1)]


class NoOperations:
    """The example of the OpenAPI document: no process is running."""

    async def system(self) -> System:
        """See `Operations`."""
        return System.model_validate(example_of(System.model_json_schema(), {}))

    async def alerts(self) -> list[Alert]:
        """See `Operations`."""
        return (await self.system()).alerts


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
