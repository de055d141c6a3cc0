"""All events arrive in Kafka after failures of relay and broker, and forbidden states are refused."""

import asyncio
import json
import logging
import os
import random
import signal
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from projections_testing.fleet import Fleet, position_of
from projections_testing.leases import catch_up, eventually
from projections_testing.processes import RunningWorker, run
from projections_testing.relays import (
    assert_topics_hold,
    relay_environment,
    relay_process,
    relayed_position,
    run_relay,
    states,
    until_relayed,
)
from psycopg import AsyncConnection

from command_api.domain.entities.horse import YES_OR_NO
from command_api.domain.entities.location import LOCATION_TYPES
from ops.testing.kafka import KafkaBroker, read_topics
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuild import rebuild
from projections.relay.publisher import cluster_id
from projections.relay.records import TOPICS
from projections.relay.settings import KafkaSettings
from read_model.tables import REVISIONS

SLOW_MACHINE_SECONDS = 90.0
BROKER_AWAITED = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT')
"""
REVISIONS_AWAITED = """
SELECT EXISTS (
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE '%max(position)%FROM read.revisions' AND state = 'idle'
)
"""


@pytest.fixture(autouse=True)
def _quiet_client() -> Iterator[None]:
    """Silence the Kafka client, as the service does."""
    logger = logging.getLogger("kafka")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


def check(relay: RunningWorker) -> dict[str, Any]:
    """Return the readiness check of a relay process."""
    status, body = relay.get("/readyz")
    return json.loads(body)["checks"]["relay"] if status else {"degraded": None, "detail": {"role": None}}


def play(fleet: Fleet, events: int, *, seed: int) -> None:
    """Append a number of random events of all entity types."""
    source, head = random.Random(seed), fleet.position + events
    prefixes = {"driver": "EMP", "trailer": "TRL", "horse": "HRS", "location": "LOC"}
    while fleet.position < head:
        entity = source.choice(list(prefixes))
        values: dict[str, dict[str, Any]] = {
            "driver": {"city": f"value {fleet.position}"},
            "trailer": {"axles": fleet.position},
            "horse": {"hired": source.choice(YES_OR_NO)},
            "location": {"location_type": source.choice(LOCATION_TYPES)},
        }
        action = source.choices(["register", "change", "remove"], [3, 4, 1])[0]
        entity_id = f"{prefixes[entity]}-{source.randrange(12)}"
        fleet.play(action, entity, entity_id, {} if action == "remove" else values[entity])


async def test_all_appended_events_arrive_in_kafka(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    play(fleet, 300, seed=1)
    await catch_up(connection)
    async with run_relay(database, broker.address) as relay:
        await until_relayed(fleet.connection, 300)
        play(fleet, 20, seed=2)  # while the relay waits
        await catch_up(connection)
        await until_relayed(fleet.connection, 320)
        await eventually(lambda: relay.state.role == "leading")
        arrived = assert_topics_hold(fleet.connection, broker.address)
    assert (arrived.events, arrived.raw_repeats) == (320, 0)


async def test_acknowledged_batch_is_not_sent_again_after_a_crash(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    play(fleet, 50, seed=3)
    await catch_up(connection)
    # Kafka has acknowledged the batch, but the position is not stored yet.
    with relay_process(database, broker, failpoint="relay.acknowledged") as relay:
        await eventually(lambda: not relay.process.is_alive(), seconds=SLOW_MACHINE_SECONDS)
    assert relayed_position(fleet.connection) == 0
    play(fleet, 50, seed=4)
    await catch_up(connection)
    async with run_relay(database, broker.address):
        await until_relayed(fleet.connection, 100)
    assert assert_topics_hold(fleet.connection, broker.address).raw_repeats == 0


async def test_frozen_relay_does_not_overwrite_newer_states(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    fleet.register("trailer", "TRL-1", axles=2)
    await catch_up(connection)
    with relay_process(database, broker) as frozen:
        await until_relayed(fleet.connection, 1)
        os.kill(frozen.pid, signal.SIGSTOP)
        fleet.change("trailer", "TRL-1", axles=3)
        await catch_up(connection)
        async with run_relay(database, broker.address):  # once the server has ended the frozen one's session
            await until_relayed(fleet.connection, 2)
            os.kill(frozen.pid, signal.SIGCONT)
            await eventually(
                lambda: (
                    frozen.is_ready() and frozen.readiness()["checks"]["relay"]["detail"]["role"] == "standby"
                ),
                seconds=SLOW_MACHINE_SECONDS,
            )
            fleet.change("trailer", "TRL-1", axles=4)
            await catch_up(connection)
            await until_relayed(fleet.connection, 3)
    assert states(broker.address, "trailer")["TRL-1"]["axles"] == 4
    assert_topics_hold(fleet.connection, broker.address)


async def test_silent_broker_is_reported_until_it_answers(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    with relay_process(database, broker) as relay:
        play(fleet, 30, seed=5)
        await catch_up(connection)
        await until_relayed(fleet.connection, 30)
        broker.kill(signal.SIGSTOP)
        try:
            play(fleet, 30, seed=6)
            await catch_up(connection)
            assert position_of(fleet.connection, REVISIONS.name) == 60
            await eventually(lambda: check(relay).get("degraded") is True, seconds=SLOW_MACHINE_SECONDS)
            assert broker.address in check(relay)["detail"]["error"]
        finally:
            broker.kill(signal.SIGCONT)
        await until_relayed(fleet.connection, 60)
        await eventually(lambda: "degraded" not in check(relay), seconds=SLOW_MACHINE_SECONDS)
        assert_topics_hold(fleet.connection, broker.address)
        broker.kill(signal.SIGSTOP)
        try:
            play(fleet, 10, seed=8)
            await catch_up(connection)
            await eventually(lambda: is_publishing(fleet.connection))
            relay.process.terminate()
            assert await asyncio.to_thread(relay.wait) in (0, -signal.SIGTERM)
        finally:
            broker.kill(signal.SIGCONT)


def is_publishing(connection: psycopg.Connection) -> bool:
    """Return whether a relay waits for the broker, and keeps its database session alive."""
    return connection.execute(BROKER_AWAITED).fetchone() == (True,)


async def test_rewind_publishes_existing_events_again(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    play(fleet, 40, seed=7)
    await catch_up(connection)
    async with run_relay(database, broker.address):
        await until_relayed(fleet.connection, 40)
        done = run(database, "rewind", "10", environment=relay_environment(broker))
        assert "publishes again from 11 on" in done.stdout, done.stderr
        await until_relayed(fleet.connection, 40)
        play(fleet, 5, seed=8)
        await catch_up(connection)
        await until_relayed(fleet.connection, 45)
    assert assert_topics_hold(fleet.connection, broker.address).repeats == 30
    again = run(database, "rewind", "45", environment=relay_environment(broker))
    assert (again.returncode, "not published beyond 45" in again.stderr) == (1, True)


async def error_of(database: Database, broker: KafkaBroker) -> str:
    """Run a relay until it reports an error, and return the error."""
    async with run_relay(database, broker.address) as relay:
        await eventually(lambda: relay.state.error is not None, seconds=SLOW_MACHINE_SECONDS)
        return str(relay.state.error)


async def publish_20(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    """Append and publish 20 events, and stop the relay."""
    play(fleet, 20, seed=9)
    await catch_up(connection)
    async with run_relay(database, broker.address):
        await until_relayed(fleet.connection, 20)


async def test_restored_database_and_foreign_topics_stop_the_relay(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    await publish_20(fleet, connection, database, broker)
    fleet.connection.execute("UPDATE read.relay_positions SET position = 15")
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > 15")
    for _ in range(2):  # also the next time
        reported = await error_of(database, broker)
        assert "the log ends at 15, and position 20 was published to Kafka" in reported
    fleet.connection.execute("UPDATE log.identity SET log_id = repeat('0', 32), stopped = NULL")
    assert "holds events of another log" in await error_of(database, broker)
    assert relayed_position(fleet.connection) == 15


async def test_relay_waits_for_revisions_that_a_crash_of_the_database_lost(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    await publish_20(fleet, connection, database, broker)
    fleet.connection.execute("DELETE FROM read.revisions WHERE position > 15")
    fleet.connection.execute("UPDATE read.positions SET position = 15 WHERE projection = 'revisions'")
    async with run_relay(database, broker.address) as relay:
        await eventually(lambda: fleet.connection.execute(REVISIONS_AWAITED).fetchone() == (True,))
        play(fleet, 5, seed=10)
        await catch_up(connection)
        await until_relayed(fleet.connection, 25)
        assert relay.state.error is None
        arrived = assert_topics_hold(fleet.connection, broker.address)
    assert (arrived.events, arrived.raw_repeats) == (25, 0)


async def test_revisions_of_an_earlier_release_are_not_published(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    play(fleet, 5, seed=11)
    await catch_up(connection)
    fleet.connection.execute("UPDATE read.positions SET version = 2 WHERE projection = 'revisions'")
    # The position in topics of an earlier version does not count.
    insert = "INSERT INTO read.relay_positions (cluster, topics, position) VALUES (%s, 1, 5)"
    fleet.connection.execute(insert, [cluster_id(KafkaSettings(servers=broker.address))])
    async with run_relay(database, broker.address) as relay:
        await eventually(lambda: relay.state.error is not None, seconds=SLOW_MACHINE_SECONDS)
        assert read_topics(broker.address, *TOPICS) == []
        await rebuild(database.projections, PROJECTIONS["revisions"])
        await eventually(lambda: relay.state.role == "leading", seconds=SLOW_MACHINE_SECONDS)
        await eventually(lambda: len(read_topics(broker.address, *TOPICS)) > 5, seconds=SLOW_MACHINE_SECONDS)
        assert assert_topics_hold(fleet.connection, broker.address).events == 5


async def test_relay_without_a_broker_reports_degraded(database: Database) -> None:
    no_broker = {"FLEETLOG_KAFKA_SERVERS": "127.0.0.1:9"}
    with RunningWorker(database, command="relay", environment=no_broker) as relay:

        def is_reported() -> bool:
            relay_check = check(relay)
            return relay_check.get("degraded") is True and "127.0.0.1:9" in relay_check["detail"]["error"]

        await eventually(is_reported, seconds=SLOW_MACHINE_SECONDS)
        await eventually(
            lambda: "fleetlog_relay_failures_total{" in relay.get("/metrics")[1], seconds=SLOW_MACHINE_SECONDS
        )
