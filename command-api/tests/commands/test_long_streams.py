"""Long streams: bounded reads, and snapshots that must agree with the log."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import psycopg
import pydantic_core
import pytest
from command_api_testing.contexts import METADATA, MOMENT
from prometheus_client import REGISTRY
from psycopg.types.json import Json

from command_api.commands.streams import History, Streams
from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import PAGE_BYTES, PAGE_EVENTS, EventLog
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import MAX_VERSION
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

HORSE = DEFINITIONS["horse"]


def shown(aggregate: Aggregate) -> tuple[int, str]:
    """Return version and record."""
    record = aggregate.state.record() if aggregate.state else None
    return aggregate.version, pydantic_core.to_json(record).decode()


@pytest.fixture
async def log(database: Database) -> AsyncIterator[EventLog]:
    async with EventLog.open(database.command) as log:
        yield log


def fill(database: Database, *, versions: int, bytes_each: int = 0, snapshots: bool = True) -> Aggregate:
    """Give a horse a long history in the log and the revisions, and return its aggregate."""
    aggregate = Aggregate(HORSE, "LONG")
    rows: list[Any] = []
    revisions: list[Any] = []
    for version in range(1, versions + 1):
        details = {
            **DEFINITIONS["horse"].example,
            "identifier": f"{version}",
            "description": "x" * bytes_each,
        }
        event = aggregate.change(details, METADATA) if version > 1 else aggregate.register(details, METADATA)
        assert event is not None
        moment = MOMENT + timedelta(seconds=version)
        aggregate = aggregate.after(event, moment)
        assert aggregate.state is not None
        rows.append((version, "horse:LONG", version, event.type, MAPPER.to_stored_event(event).state, moment))
        record = Json(aggregate.state.record())
        revisions.append((version, "horse", "LONG", version, event.type, moment, Json([]), record, Json({})))
    with psycopg.connect(database.owner) as connection, connection.cursor() as cursor:
        columns = "notification_id, originator_id, originator_version, topic, state, moment"
        with cursor.copy(f"COPY log.events ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        if snapshots:
            columns = "position, entity, entity_id, version, type, moment, changes, state, public_event"
            with cursor.copy(f"COPY read.revisions ({columns}) FROM STDIN") as copy:
                for row in revisions:
                    copy.write_row(row)
    return aggregate


def read_so_far() -> tuple[float, float]:
    names = ("fleetlog_command_events_read_total", "fleetlog_command_event_bytes_read_total")
    events, size = (REGISTRY.get_sample_value(name) or 0.0 for name in names)
    return events, size


async def cost(streams: Streams, *, up_to: int = MAX_VERSION) -> tuple[History, float, float]:
    events, size = read_so_far()
    loaded = await streams.load(HORSE, "LONG", up_to=up_to)
    events_then, size_then = read_so_far()
    return loaded, events_then - events, size_then - size


async def test_command_on_a_long_stream_reads_few_events(log: EventLog, database: Database) -> None:
    whole = fill(database, versions=10_000)
    streams = Streams(log)
    loaded, events, size = await cost(streams)
    assert shown(loaded.aggregate) == shown(whole)
    assert events <= PAGE_EVENTS
    assert size <= 2 * PAGE_BYTES
    loaded, events, size = await cost(streams)
    assert shown(loaded.aggregate) == shown(whole)
    assert (events, size) == (0, 0)
    loaded, events, _ = await cost(streams, up_to=5_000)
    assert (loaded.aggregate.version, loaded.position) == (5_000, 5_000)
    assert events <= 2 * PAGE_EVENTS


async def test_large_events_are_read_one_at_a_time(log: EventLog, database: Database) -> None:
    whole = fill(database, versions=40, bytes_each=245_000)
    loaded, events, size = await cost(Streams(log))
    assert shown(loaded.aggregate) == shown(whole)
    assert (events, size < 500_000) == (1, True)
    reported = await Streams(log).changes(loaded, after=1)
    versions = [event.originator_version for event, _ in reported]
    assert versions == list(range(41 - len(reported), 41))
    assert 1 <= len(reported) < 40


DISAGREEING = {
    "no such event": "UPDATE read.revisions SET position = position + 1000000, version = version + 1000",
    "another position": "UPDATE read.revisions SET position = position + 1000000",
    "another moment": "UPDATE read.revisions SET moment = moment + interval '1 second'",
    "another type": "UPDATE read.revisions SET type = 'horse.removed'",
    "no state": "UPDATE read.revisions SET state = NULL",
    "a record of another shape": "UPDATE read.revisions SET state = '{\"created_at\": 7}'",
    "not a record": "UPDATE read.revisions SET state = '[]'",
    "no table": "DROP TABLE read.revisions",
    "no right": "REVOKE ALL ON read.revisions FROM fleetlog_writer",
}


@pytest.mark.parametrize("flaw", DISAGREEING)
async def test_snapshot_that_contradicts_the_log_is_ignored(
    log: EventLog, database: Database, flaw: str
) -> None:
    whole = fill(database, versions=2 * PAGE_EVENTS + 7)
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE read.revisions SET state = replace(state::text, 'Prima', 'Ultima')::json")
        connection.execute(DISAGREEING[flaw].encode())
    loaded = await Streams(log).load(HORSE, "LONG")
    assert shown(loaded.aggregate) == shown(whole)
    loaded = await Streams(log).load(HORSE, "LONG", up_to=PAGE_EVENTS + 7)
    assert loaded.aggregate.version == PAGE_EVENTS + 7


async def test_cached_entity_of_a_replaced_event_is_dropped(log: EventLog, database: Database) -> None:
    fill(database, versions=5)
    streams = Streams(log)
    assert (await streams.load(HORSE, "LONG")).aggregate.version == 5
    with psycopg.connect(database.owner) as connection:
        connection.execute("DELETE FROM log.events WHERE notification_id > 3")
    assert (await streams.load(HORSE, "LONG")).aggregate.version == 3
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.events SET state = '{}' WHERE notification_id = 3")
    with pytest.raises(UnreadableEvent):
        await streams.load(HORSE, "LONG")
