"""The relay reads what is public and nothing else, and only what this release has written."""

from collections.abc import Iterator

import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up
from psycopg import AsyncConnection, sql

from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.failures import OlderVersion
from projections.progress.positions import require_this_version
from projections.rebuild.rebuilding import rebuild
from projections.relay.revisions import read_revisions
from projections.tables import REVISIONS

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


async def test_it_may_read_what_is_public_also_after_a_rebuild(
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


async def test_what_it_reads_is_what_was_written_for_everybody(
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


async def test_nothing_is_published_of_what_an_earlier_release_has_written(
    fleet: Fleet, connection: AsyncConnection, database: Database
) -> None:
    fleet.register("horse", "HRS-1")
    await catch_up(connection)
    fleet.connection.execute("UPDATE read.positions SET version = 2 WHERE projection = 'revisions'")
    with pytest.raises(OlderVersion):
        await require_this_version(connection, REVISIONS)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    await require_this_version(connection, REVISIONS)
