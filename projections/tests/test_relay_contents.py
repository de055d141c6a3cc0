"""The relay reads and publishes public data of this release only."""

from collections.abc import Iterator

import psycopg
import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.leases import catch_up
from projections_testing.processes import RunningWorker
from projections_testing.relays import relay_environment
from psycopg import AsyncConnection, sql

from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database
from ops.testing.span_receiver import span_receiver
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuild import rebuild
from projections.relay.records import read_revisions
from read_model.tables import REVISIONS

pytestmark = pytest.mark.integration


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


async def test_relay_reads_the_public_columns_unchanged(
    fleet: Fleet, connection: AsyncConnection, database: Database
) -> None:
    fleet.register("horse", "HRS-1", hired="Yes")
    fleet.remove("horse", "HRS-1")
    await catch_up(connection)
    async with await AsyncConnection.connect(database.owner, autocommit=True) as reading:
        await reading.execute("SET ROLE fleetlog_relay")
        registered, removed = await read_revisions(reading, after=0)
    assert registered.state is not None
    assert '"hired":"Yes"' in registered.state
    assert "chassis_number" not in registered.state
    assert (removed.state, removed.is_folded) == (None, True)


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
