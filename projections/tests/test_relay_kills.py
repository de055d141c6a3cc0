"""All events of concurrent writers arrive while relay and broker are killed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Never

import psycopg
import pytest
from projections_testing.leases import catch_up, eventually
from projections_testing.processes import RunningWorker
from projections_testing.relays import assert_topics_hold, relay_process, until_relayed
from projections_testing.sealed_data import append, endless_events

from ops.base.database.pools import connect
from ops.base.process.tasks import running
from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database
from ops.testing.soak import suite_and_soak
from projections.relay.records import BATCH_REVISIONS

pytestmark = pytest.mark.integration

SLOW_MACHINE_SECONDS = 120.0


@contextlib.asynccontextmanager
async def projecting(database: Database) -> AsyncIterator[None]:
    """Keep the read tables up with the log for as long as the context lasts."""

    async def keep_up() -> Never:
        async with await connect(database.projections, autocommit=True) as connection:
            while True:
                await catch_up(connection)
                await asyncio.sleep(0.05)

    async with running(keep_up):
        yield


async def until_all_is_done(connection: psycopg.Connection, position: int) -> None:
    """Wait until Kafka has acknowledged a position, and each read table has come there, too."""
    await until_relayed(connection, position, seconds=SLOW_MACHINE_SECONDS)
    behind = "SELECT FROM read.positions WHERE position < %s"
    await eventually(
        lambda: not connection.execute(behind, [position]).fetchall(), seconds=SLOW_MACHINE_SECONDS
    )


@pytest.mark.parametrize("kills", suite_and_soak(2, 50, hours=4))
async def test_killed_relay_loses_and_repeats_nothing(
    database: Database, broker: KafkaBroker, kills: int
) -> None:
    events = 400 * kills
    with psycopg.connect(database.owner, autocommit=True) as connection, contextlib.ExitStack() as started:
        relay = started.enter_context(relay_process(database, broker))
        async with projecting(database):
            writing = asyncio.to_thread(append, database.command, endless_events(), number=events)
            appended = asyncio.create_task(writing)
            for kill in range(kills):
                await until_relayed(connection, 300 * kill + 1, seconds=SLOW_MACHINE_SECONDS)
                relay.process.kill()
                relay = started.enter_context(relay_process(database, broker))
            await appended
            await until_all_is_done(connection, events)
        arrived = assert_topics_hold(connection, broker.address)
    print(f"{arrived.events} events, {arrived.raw_repeats} repeats among all records")
    assert (arrived.events, arrived.repeats) == (events, 0)
    # Unmarked records are aborted, and so are the records that abort them.
    assert arrived.raw_repeats <= 2 * kills * BATCH_REVISIONS


@pytest.mark.parametrize("kills", suite_and_soak(1, 20, hours=4))
async def test_unmarked_transaction_is_neither_lost_nor_repeated(
    database: Database, broker: KafkaBroker, kills: int
) -> None:
    """Kill the broker as soon as it has answered a commit, most often before it has marked its end."""

    def kill_when_dead(relay: RunningWorker) -> None:
        relay.wait()
        broker.kill()

    story = endless_events()
    with psycopg.connect(database.owner, autocommit=True) as connection:
        async with projecting(database):
            for _ in range(kills):
                append(database.command, story, number=40)
                with relay_process(database, broker, failpoint="relay.committed_by_broker") as relay:
                    await asyncio.to_thread(kill_when_dead, relay)
                broker.start()
            with relay_process(database, broker):
                await until_all_is_done(connection, 40 * kills)
        arrived = assert_topics_hold(connection, broker.address)
    print(f"{arrived.events} events, {arrived.repeats} repeats, {arrived.raw_repeats} among all records")
    assert arrived.repeats == 0
