"""All events of concurrent writers arrive while relay and broker are killed."""

import asyncio
import contextlib
import itertools
import random
import time
from collections.abc import AsyncIterator
from functools import partial

import psycopg
import pytest
from projections_testing.leases import catch_up, eventually
from projections_testing.processes import RunningWorker
from projections_testing.relays import (
    Arrived,
    assert_topics_hold,
    relay_process,
    relayed_position,
    until_relayed,
)
from projections_testing.writers import write

from ops.base.database.pools import connect
from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database
from ops.testing.soak import soak_count, suite_and_soak
from projections.relay.revisions import BATCH_REVISIONS

pytestmark = pytest.mark.integration

SLOW_MACHINE_SECONDS = 120.0


@contextlib.asynccontextmanager
async def projecting(database: Database) -> AsyncIterator[None]:
    """Keep the read tables up with the log for as long as the context lasts."""

    async def keep_up() -> None:
        async with await connect(database.projections, autocommit=True) as connection:
            while True:
                await catch_up(connection)
                await asyncio.sleep(0.05)

    task = asyncio.create_task(keep_up())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def writing(database: Database) -> AsyncIterator[None]:
    """Let two writers append for as long as the context lasts, and finish what they have begun."""
    ending = asyncio.Event()

    async def keep_writing() -> None:
        for number in itertools.count(1):
            if ending.is_set():
                return
            await write(database, 60, writers=2, first=2 * number)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(keep_writing())
    try:
        yield
    finally:
        ending.set()
        await task


async def survive(database: Database, broker: KafkaBroker, *, relay_kills: int, broker_kills: int) -> Arrived:
    """Kill relay and broker while they publish, then hold the topics against the log."""
    victims = random.sample(["relay"] * relay_kills + ["broker"] * broker_kills, relay_kills + broker_kills)
    with psycopg.connect(database.owner, autocommit=True) as connection, contextlib.ExitStack() as started:
        relay = started.enter_context(relay_process(database, broker))
        async with projecting(database):
            async with writing(database):
                for victim in victims:
                    before = relayed_position(connection)
                    await eventually(partial(is_beyond, connection, before), seconds=SLOW_MACHINE_SECONDS)
                    await asyncio.sleep(random.uniform(0, 0.3))
                    if victim == "relay":
                        relay.process.kill()
                        relay = started.enter_context(relay_process(database, broker))
                    else:
                        broker.kill()
                        await asyncio.to_thread(broker.start)
            row = connection.execute("SELECT position FROM log.head").fetchone()
            assert row
            await until_all_is_done(connection, row[0], seconds=SLOW_MACHINE_SECONDS)
        return assert_topics_hold(connection, broker.address)


async def until_all_is_done(connection: psycopg.Connection, position: int, *, seconds: float) -> None:
    """Wait until Kafka has acknowledged a position, and each read table has come there, too."""
    await until_relayed(connection, position, seconds=seconds)
    behind = "SELECT FROM read.positions WHERE position < %s"
    await eventually(lambda: not connection.execute(behind, [position]).fetchall(), seconds=seconds)


def is_beyond(connection: psycopg.Connection, position: int) -> bool:
    """Whether Kafka has acknowledged more than a position."""
    return relayed_position(connection) > position


@pytest.mark.parametrize("events", suite_and_soak(400, 100_000, hours=4))
async def test_everything_from_concurrent_writers_arrives(
    database: Database, broker: KafkaBroker, events: int
) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        began = time.monotonic()
        with relay_process(database, broker):
            async with projecting(database):
                await write(database, events, writers=16)
                await until_all_is_done(connection, events, seconds=60 + events / 100)
        seconds = time.monotonic() - began
        arrived = assert_topics_hold(connection, broker.address)
    print(f"{arrived.events} events arrived within {seconds:.1f} s, {arrived.raw_repeats} of them repeatedly")
    assert arrived == Arrived(events, 0, 0)


# The test of unmarked transactions kills the broker in the suite.
@pytest.mark.parametrize(
    ("relay_kills", "broker_kills"),
    [
        (2, 0),
        pytest.param(
            soak_count(50), soak_count(20), marks=(pytest.mark.soak, pytest.mark.timeout(0)), id="soak"
        ),
    ],
)
async def test_killed_relay_and_broker_lose_and_repeat_nothing(
    database: Database, broker: KafkaBroker, relay_kills: int, broker_kills: int
) -> None:
    arrived = await survive(database, broker, relay_kills=relay_kills, broker_kills=broker_kills)
    print(f"{arrived.events} events, {arrived.repeats} repeats, {arrived.raw_repeats} among all records")
    assert arrived.repeats == 0
    # Unmarked records are aborted, and so are the records that abort them.
    assert arrived.raw_repeats <= 2 * (relay_kills + broker_kills) * BATCH_REVISIONS


@pytest.mark.parametrize("kills", suite_and_soak(1, 20, hours=4))
async def test_unmarked_transaction_is_neither_lost_nor_repeated(
    database: Database, broker: KafkaBroker, kills: int
) -> None:
    """Kill the broker as soon as it has answered a commit, most often before it has marked its end."""

    def kill_when_dead(relay: RunningWorker) -> None:
        relay.wait()
        broker.kill()

    with psycopg.connect(database.owner, autocommit=True) as connection:
        async with projecting(database):
            for number in range(1, kills + 1):
                await write(database, 40, writers=2, first=2 * number)
                with relay_process(database, broker, failpoint="relay.committed_by_broker") as relay:
                    await asyncio.to_thread(kill_when_dead, relay)
                broker.start()
            with relay_process(database, broker):
                await until_all_is_done(connection, 40 * kills, seconds=SLOW_MACHINE_SECONDS)
        arrived = assert_topics_hold(connection, broker.address)
    print(f"{arrived.events} events, {arrived.repeats} repeats, {arrived.raw_repeats} among all records")
    assert arrived.repeats == 0
