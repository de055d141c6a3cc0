"""Everything arrives while relay and broker are killed, and the relay reads public data only."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Never

import psycopg
import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.leases import catch_up, eventually
from projections_testing.processes import RunningWorker
from projections_testing.relays import assert_topics_hold, relay_environment, relay_process, until_relayed
from projections_testing.sealed_data import append, endless_events
from psycopg import AsyncConnection, sql

from ops.base.database.connection import connect
from ops.base.process.tasks import running
from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database
from ops.testing.soak import suite_and_soak
from ops.testing.span_receiver import span_receiver
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuild import rebuild
from projections.relay.records import BATCH_REVISIONS
from read_model.tables import REVISIONS

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


RAW = ("actor_sub", "actor_name", "request_id", "client_request_id", "reason", "changes", "state", "personal")
BEYOND = (
    *(f"SELECT {column} FROM read.revisions" for column in RAW),  # noqa: S608
    "SELECT * FROM read.revisions",
    "SELECT state FROM log.events",
    "SELECT notification_id, moment FROM log.events",
    "SELECT record FROM read.drivers",
    "SELECT * FROM audit.accesses",
    "UPDATE read.positions SET position = 0",
    "DELETE FROM read.relay_positions",
)


@pytest.fixture
def relay(database: Database) -> Iterator[psycopg.Connection]:
    """A connection with the rights that the relay's role has."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("SET ROLE fleetlog_relay")
        yield connection


async def test_relay_role_reads_public_columns_only_even_after_a_rebuild(
    fleet: Fleet, connection: AsyncConnection, database: Database, relay: psycopg.Connection
) -> None:
    fleet.register("horse", "HRS-1", hired="Yes")
    await catch_up(connection)
    columns = sql.SQL(", ").join(map(sql.Identifier, REVISIONS.published))
    for _ in range(2):
        assert len(relay.execute(sql.SQL("SELECT {} FROM read.revisions").format(columns)).fetchall()) == 1
        for statement in BEYOND:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                relay.execute(statement)
        await rebuild(database.projections, PROJECTIONS["revisions"])


async def test_publishing_is_linked_to_the_request(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Mysuru")
    await catch_up(connection)
    with span_receiver() as receiver:
        settings = {**relay_environment(broker), **receiver.environment}
        with RunningWorker(database, command="relay", environment=settings):
            receiver.wait_for(bool)
    (published,) = receiver.spans
    assert (published.service, published.name, published.kind) == ("fleetlog-relay", "publish", "PRODUCER")
    _, trace_id, span_id, _ = (METADATA.traceparent or "").split("-")
    assert published.links == {(trace_id, span_id)}
    assert published.attributes == {"fleetlog.first_position": 1, "fleetlog.last_position": 2}
