"""A running relay, and the expected content of Kafka."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.publication import public_record
from ops.base.http.consistency import LogPosition
from ops.base.process.tasks import running
from ops.testing.kafka import KafkaBroker, read_topics
from ops.testing.postgres import Database
from projections.relay.relay import Relay
from projections.relay.settings import KafkaSettings
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker
from read_model.public_events.envelope import events_topic, state_topic

ADDRESS: Final = "https://fleet.example"
_PATIENCE_SECONDS: Final = 90.0


def relay_environment(broker: KafkaBroker) -> dict[str, str]:
    """Return the settings of a relay process that publishes to a broker."""
    return {"FLEETLOG_KAFKA_SERVERS": broker.address, "FLEETLOG_PUBLIC_ADDRESS": ADDRESS}


def relay_process(database: Database, broker: KafkaBroker, **more: Any) -> RunningWorker:
    """Start a relay as a process."""
    return RunningWorker(database, command="relay", environment=relay_environment(broker), **more)


@asynccontextmanager
async def run_relay(
    database: Database, address: str, settings: KafkaSettings | None = None
) -> AsyncIterator[Relay]:
    """Run a relay in this process while the context lasts, by default to a broker without authentication."""
    relay = Relay(database.relay, settings or KafkaSettings(servers=address), ADDRESS)
    async with running(relay.run):
        yield relay


def relayed_position(connection: psycopg.Connection) -> int:
    """Return the last position that Kafka has acknowledged."""
    row = connection.execute("SELECT coalesce(max(position), 0) FROM read.relay_positions").fetchone()
    assert row
    return int(row[0])


async def until_relayed(
    connection: psycopg.Connection, position: int, *, seconds: float = _PATIENCE_SECONDS
) -> None:
    """Wait until Kafka has acknowledged a position."""
    await eventually(lambda: relayed_position(connection) >= position, seconds=seconds)


@dataclass(frozen=True)
class Arrived:
    """The content of the topics."""

    events: int
    repeats: int
    """The number of committed duplicates."""
    raw_repeats: int
    """The number of duplicates including records of aborted transactions."""


def assert_topics_hold(connection: psycopg.Connection, address: str) -> Arrived:
    """Compare the topics with the log and the read tables, after projections and relay have caught up.

    No event is lost, each partition is in order after removing duplicates, and the states are the public
    fields of the read tables.
    """
    topics = [events_topic(entity) for entity in DEFINITIONS]
    in_log = connection.execute("SELECT notification_id, originator_id FROM log.events").fetchall()
    committed = read_topics(address, *topics)
    everything = read_topics(address, *topics, committed=False)
    seen: dict[int, str] = {}
    last: dict[tuple[str, int], int] = defaultdict(int)
    for record in committed:
        reported = LogPosition.parse(dict(record.headers)["ce_id"].decode())
        assert reported
        if reported.position in seen:
            continue
        entity = record.topic.split(".")[1]
        seen[reported.position] = f"{entity}:{record.key.decode()}"
        partition = (record.topic, record.partition)
        assert reported.position > last[partition], "an event overtook a later one"
        last[partition] = reported.position
    assert seen == dict(in_log)
    for entity in DEFINITIONS:
        assert states(address, entity) == public_states(connection, entity)
    return Arrived(len(seen), len(committed) - len(seen), len(everything) - len(seen))


def states(address: str, entity: str) -> dict[str, Any]:
    """Return the states in the compacted topic of an entity type."""
    found: dict[str, Any] = {}
    for record in read_topics(address, state_topic(entity)):
        if record.value is None:
            found.pop(record.key.decode(), None)
        else:
            found[record.key.decode()] = json.loads(record.value)
    return found


def public_states(connection: psycopg.Connection, entity: str) -> dict[str, Mapping[str, object]]:
    """Return the public fields of an entity type's read table."""
    rows = connection.execute(f"SELECT id, record FROM read.{entity}s").fetchall()  # noqa: S608
    return {entity_id: public_record(entity, record) for entity_id, record in rows}
