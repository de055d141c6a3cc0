"""A fleet whose events are inserted directly into the log, and its expected state."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import psycopg
from eventsourcing.persistence import StoredEvent
from psycopg import sql
from psycopg.rows import dict_row

from command_api.domain.aggregate import Aggregate, AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import ACTOR, DEFINITIONS
from command_api.domain.events import Basis, Event, EventActor, EventMetadata
from command_api.domain.state import State, apply
from command_api.event_store.mapper import MAPPER
from ops.base.encryption.keys import Key
from read_model.tables import ENTITY_TABLES, READ_TABLES, ReadTable

METADATA: Final = EventMetadata(
    actor=EventActor(sub="dev|asha", name="Asha Menon"),
    request_id="req-1",
    client_request_id="ravi-kumar.1",
    traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    reason="as told on the telephone",
    fingerprint="f",
)

SOMEBODY_ELSE: Final = METADATA.model_copy(
    update={"actor": EventActor(sub="dev|ingrid", name="Ingrid Lund"), "reason": None}
)

_DRIVER, _TRAILER, _HORSE, _LOCATION = (
    DEFINITIONS[entity].example for entity in ("driver", "trailer", "horse", "location")
)
DETAILS: Final[dict[str, dict[str, Any]]] = {
    "driver": {**_DRIVER, **dict.fromkeys(("address_2", "mobile_number_2", "swift_code"))},
    "trailer": {
        **DEFINITIONS["trailer"].blank_details(),
        **{
            name: _TRAILER[name]
            for name in ("identifier", "trailer_registration_number", "owner_name", "capacity_tons", "data")
        },
    },
    "horse": {
        **DEFINITIONS["horse"].blank_details(),
        "chassis_number": "MAT1",
        "engine_number": "ISBE5.9",
        **{name: _HORSE[name] for name in ("identifier", "metadata")},
    },
    "location": {
        **_LOCATION,
        "attributes": {**dict.fromkeys(_LOCATION["attributes"]), "city": "Hosur", "capacity": 120},
    },
    **{name: dict(DEFINITIONS[name].example) for name in ("subscription", "assignment")},
}

BEGIN: Final = datetime(2026, 11, 21, 4, 10, 45, 123_000, tzinfo=UTC)

_INSERT: Final = """
INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)
VALUES (%s, %s, %s, %s, %s, %s)
"""


def insert_event(
    connection: psycopg.Connection,
    *,
    position: int,
    stream: str,
    version: int,
    topic: str,
    state: bytes,
    moment: datetime = BEGIN,
) -> None:
    """Insert a row into the log without any checks."""
    connection.execute(_INSERT, (position, stream, version, topic, state, moment))


class Fleet:
    """Decides changes as the command API does, and appends each in a transaction of its own.

    Args:
        connection: of the owner, to an empty log.
    """

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self.position = 0
        self._unused: Iterator[Key] | None = None
        self._keys: dict[str, Key] = {}
        self._aggregates: dict[tuple[str, str], Aggregate] = {}

    def register(self, entity: str, entity_id: str, **details: Any) -> None:
        aggregate = self.aggregate(entity, entity_id)
        self.append(aggregate.register({**DETAILS[entity], **details}, METADATA))

    def change(self, entity: str, entity_id: str, **details: Any) -> None:
        event = self.aggregate(entity, entity_id).change(details, METADATA)
        if event:
            self.append(event)

    def remove(self, entity: str, entity_id: str) -> None:
        event = self.aggregate(entity, entity_id).remove(METADATA)
        if event:
            self.append(event)

    def undo_registration(self, entity: str, entity_id: str) -> None:
        event = self.aggregate(entity, entity_id).remove(METADATA.model_copy(update={"undoes": 1}))
        assert event is not None
        self.append(event)

    def register_in_batch(self, batch: str, entity: str, entity_id: str) -> None:
        metadata = METADATA.model_copy(update={"batch": batch})
        self.append(self.aggregate(entity, entity_id).register(DETAILS[entity], metadata))

    def restrict(self, entity: str, entity_id: str, basis: Basis = "asked") -> None:
        due = BEGIN.date() + timedelta(days=30)
        self.append(self.aggregate(entity, entity_id).restrict(basis, due, METADATA))

    def set_hold(self, entity: str, entity_id: str, until: date | None) -> None:
        event = self.aggregate(entity, entity_id).hold(until, METADATA)
        if event:
            self.append(event)

    def lift(self, entity: str, entity_id: str) -> None:
        self.append(self.aggregate(entity, entity_id).lift(METADATA))

    def erase(self, entity: str, entity_id: str) -> None:
        """Append an erasure by another user than the one who restricted; the keys remain."""
        self.append(self.aggregate(entity, entity_id).erase(BEGIN.date(), SOMEBODY_ELSE))

    def play(self, action: str, entity: str, entity_id: str, details: dict[str, Any]) -> None:
        """Execute a step of a random history, unless it is impossible."""
        with suppress(AlreadyRegistered, NotRegistered):
            match action:
                case "register":
                    self.register(entity, entity_id, **details)
                case "change":
                    self.change(entity, entity_id, **details)
                case "remove":
                    self.remove(entity, entity_id)
                case _:
                    raise ValueError(action)

    def aggregate(self, entity: str, entity_id: str) -> Aggregate:
        unused = (
            ACTOR.unused(entity_id) if entity == ACTOR.name else Aggregate(DEFINITIONS[entity], entity_id)
        )
        return self._aggregates.get((entity, entity_id), unused)

    def append(self, event: Event) -> None:
        """Append an event and notify, as the command API does after its commit."""
        self.position += 1
        moment = BEGIN + timedelta(seconds=self.position)
        if self.aggregate(event.entity, event.entity_id).is_erased:
            self._keys.pop(event.originator_id, None)
        insert_event(
            self.connection,
            position=self.position,
            stream=event.originator_id,
            version=event.originator_version,
            topic=event.type,
            state=MAPPER.to_stored_event(event, self._key(event.originator_id)).state,
            moment=moment,
        )
        self.connection.execute("SELECT pg_notify('fleetlog_events', %s)", (str(self.position),))
        key = (event.entity, event.entity_id)
        self._aggregates[key] = self.aggregate(*key).after(event, moment)

    @property
    def key_ids(self) -> dict[str, str]:
        """The ids of the streams' keys."""
        return {stream: key.id for stream, key in self._keys.items()}

    def use_for_records(self, keys: Iterable[Key]) -> None:
        """Encrypt the events of each record under a key of its own."""
        self._unused = iter(keys)

    def use(self, stream: str, key: Key) -> None:
        """Encrypt the events of a stream under an existing key."""
        self._keys[stream] = key

    def _key(self, stream: str) -> Key | None:
        if self._unused is None:
            return None
        if stream not in self._keys:
            self._keys[stream] = next(self._unused)
        return self._keys[stream]

    def clear(self) -> None:
        """Delete all events and rows: faster than truncating tables, each of which gets new files."""
        tables = [one.identifier for table in READ_TABLES for one in (table, *table.derived)]
        others = ("positions", "quarantined_streams", "searches")
        tables += [sql.Identifier("log", "events"), *(sql.Identifier("read", name) for name in others)]
        with self.connection.transaction():
            self.connection.execute("SET LOCAL session_replication_role = replica")
            for table in tables:
                self.connection.execute(sql.SQL("DELETE FROM {}").format(table))
        self.position = 0
        self._aggregates = {}


def register(fleet: Fleet, first: int, last: int, entity: str = "driver") -> None:
    """Register entities with consecutive numbers."""
    for number in range(first, last + 1):
        fleet.register(entity, f"EMP-{number}")


def fold_of_log(
    connection: psycopg.Connection, *, up_to_poison: bool = False
) -> dict[tuple[str, str], State]:
    """Return the current states by entity type and id, folded from the log.

    Args:
        up_to_poison: fold each stream up to its first event that cannot be applied.
    """
    states: dict[tuple[str, str], State | None] = {}
    ended = set()
    rows = connection.execute(
        "SELECT topic, state, originator_id, originator_version, moment FROM log.events"
        " ORDER BY notification_id"
    )
    for topic, state, originator_id, version, moment in rows:
        entity, _, entity_id = originator_id.partition(":")
        key = (entity, entity_id)
        if key in ended:
            continue
        try:
            event = MAPPER.to_domain_event(StoredEvent(originator_id, version, topic, state))
            json.dumps(event.model_dump(), allow_nan=False)
            states[key] = apply(states.get(key), event, moment=moment)
        except Exception:
            if not up_to_poison:
                raise
            ended.add(key)
    return {key: state for key, state in states.items() if state}


def rows_of(connection: psycopg.Connection, table: str) -> dict[str, tuple[int, Any]]:
    """Return version and record of each row of an entity table, by id."""
    query = sql.SQL("SELECT id, version, record::text FROM {}").format(sql.Identifier("read", table))
    return {row[0]: (row[1], json.loads(row[2])) for row in connection.execute(query)}


def rows_by_name(
    connection: psycopg.Connection, table: ReadTable, *, order: str = "id"
) -> list[dict[str, Any]]:
    """Return the rows of a read table with the names of their columns."""
    statement = sql.SQL("SELECT * FROM {} ORDER BY {}").format(table.identifier, sql.Identifier(order))
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement).fetchall()


def position_of(connection: psycopg.Connection, projection: str) -> int:
    """Return the last position that a projection has handled, or 0."""
    row = connection.execute(
        "SELECT position FROM read.positions WHERE projection = %s", (projection,)
    ).fetchone()
    return row[0] if row else 0


def assert_tables_hold(fleet: Fleet, expected: dict[tuple[str, str], State]) -> None:
    """Compare the entity tables with states by entity type and id."""
    for table in ENTITY_TABLES:
        assert rows_of(fleet.connection, table.name) == {
            entity_id: (state.version, state.record())
            for (entity, entity_id), state in expected.items()
            if entity == table.entity.name
        }
