"""Projections at one position advance together, fail alone, and continue after failures."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS, HORSES
from projections_testing.fleet import (
    Fleet,
    assert_tables_hold,
    fold_of_log,
    insert_event,
    position_of,
    register,
)
from projections_testing.leases import (
    at_work,
    catch_up,
    eventually,
    leader_of,
)
from projections_testing.poison import POISONS, spoil
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from command_api.event_store.records import RecordedEvent
from command_api.event_store.statements import APPENDED_CHANNEL
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.engine.batch import Target, apply
from projections.engine.projection import Changes, Projection
from projections.engine.retry import retry
from projections.engine.states import KnownStates
from projections.entity_tables.projection import EntityProjection
from projections.event_log import BATCH_EVENTS, ConnectionSession, read_batch
from projections.leadership.locks import try_to_lock
from projections.leadership.sessions import end_when_silent
from projections.progress import positions
from projections.rebuild.rebuild import rebuild
from projections.workers.lease import Lease
from projections.workers.projector import POLL_SECONDS
from read_model.lock_keys import lead_key
from read_model.tables import READ_TABLES, ReadTable
from read_model.tables.notification import ProjectionNotification

ALL = list(PROJECTIONS.values())


def reached(fleet: Fleet, tables: Iterable[ReadTable] = READ_TABLES) -> bool:
    return all(position_of(fleet.connection, table.name) == fleet.position for table in tables)


def transactions(fleet: Fleet) -> int:
    """Return the number of transactions that have written the current positions."""
    row = fleet.connection.execute("SELECT count(DISTINCT xmin::text) FROM read.positions").fetchone()
    assert row
    return int(row[0])


async def places(connection: AsyncConnection, projections: Iterable[Projection] = ALL) -> list[Target]:
    for projection in projections:
        await positions.prepare(connection, projection.table)
    return [Target(one, await positions.read_place(connection, one.table)) for one in projections]


@pytest.fixture
async def session(database: Database) -> AsyncIterator[PreparedSession]:
    async with PreparedSession(await connect(database.projections, autocommit=True)) as session:
        yield session


@asynccontextmanager
async def together(
    fleet: Fleet, database: Database, projections: Sequence[Projection] = ALL
) -> AsyncIterator[list[Lease]]:
    """Run projections until they advance in one transaction, and yield their leases."""
    async with at_work(database, *projections) as leases:
        await eventually(lambda: all(lease.state.role == "leading" for lease in leases))
        tables = [lease.projection.table for lease in leases]

        def is_together() -> bool:
            # A projection that leads later than the others advances alone at first.
            if reached(fleet, tables) and transactions(fleet) > 1:
                fleet.register("location", f"TOGETHER-{fleet.position}")
            return fleet.position > 0 and reached(fleet, tables) and transactions(fleet) == 1

        fleet.register("location", "TOGETHER")
        await eventually(is_together)
        yield leases


async def test_a_batch_is_one_transaction_and_one_notification(
    fleet: Fleet, database: Database, connection: AsyncConnection, session: PreparedSession
) -> None:
    targets = await places(connection)
    fleet.register("driver", "EMP-1")
    fleet.register("horse", "HRS-1")
    fleet.change("driver", "EMP-1", city="It's \"a {\\} , NULL")
    batch = await read_batch(ConnectionSession(connection), after=0)
    async with await connect(database.query, autocommit=True) as listener:
        await listener.execute("LISTEN fleetlog_projected")
        assert await apply(session, targets, batch) == batch.to
        received = [
            ProjectionNotification.parse(one.payload)
            async for one in listener.notifies(timeout=60, stop_after=1)
        ]
    assert received == [
        ProjectionNotification(tuple(PROJECTIONS), 3, 0, frozenset({"driver:EMP-1", "horse:HRS-1"})),
    ]
    assert transactions(fleet) == 1
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    changed = fleet.connection.execute("SELECT projection, changed_position FROM read.positions").fetchall()
    assert dict(changed) == dict.fromkeys(PROJECTIONS, 0) | {"drivers": 3, "horses": 2, "revisions": 3}
    assert not any("shared" in name for event in batch.events for name in event.__dict__)


@pytest.mark.parametrize(
    "meanwhile",
    [
        "UPDATE read.positions SET position = 2 WHERE projection = 'horses'",
        "UPDATE read.positions SET generation = generation + 1 WHERE projection = 'horses'",
        "UPDATE read.positions SET version = version + 1 WHERE projection = 'horses'",
        "DELETE FROM read.positions WHERE projection = 'horses'",
    ],
)
async def test_nothing_is_written_if_another_process_has_moved_a_projection(
    fleet: Fleet, connection: AsyncConnection, session: PreparedSession, meanwhile: str
) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    targets = await places(connection)
    fleet.change("driver", "EMP-1", city="Pune")
    batch = await read_batch(ConnectionSession(connection), after=1)
    fleet.connection.execute(meanwhile.encode())
    assert await apply(session, targets, batch) == batch.after
    assert position_of(fleet.connection, "drivers") == 1
    assert fleet.connection.execute("SELECT count(*) FROM read.revisions").fetchone() == (1,)
    others = [one for one in targets if one.projection.table != HORSES]
    assert await apply(session, others, batch) == batch.to


async def test_locked_projection_delays_no_other(fleet: Fleet, database: Database) -> None:
    others = [table for table in READ_TABLES if table != HORSES]
    async with together(fleet, database):
        with psycopg.connect(database.owner) as holder:
            holder.execute("SELECT FROM read.positions WHERE projection = 'horses' FOR UPDATE")
            for number in range(3):
                fleet.register("driver", f"EMP-{number}")
                await eventually(lambda: reached(fleet, others))
            assert position_of(fleet.connection, "horses") == fleet.position - 3
        await eventually(lambda: reached(fleet))
        with psycopg.connect(database.owner) as holder:
            holder.execute("LOCK TABLE read.horses")
            fleet.register("horse", "HRS-1")
            fleet.register("driver", "EMP-4")
            await eventually(lambda: reached(fleet, others))
            assert position_of(fleet.connection, "horses") < fleet.position
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_failing_projection_is_reported_and_delays_no_other(fleet: Fleet, database: Database) -> None:
    personal = "Ravi Kumar"

    class Failing(EntityProjection):
        is_mended = False

        def fold(self, events: Sequence[RecordedEvent], known: KnownStates) -> Changes:
            if not self.is_mended:
                raise KeyError(personal)
            return super().fold(events, known)

    failing = Failing(DRIVERS)
    projections = [failing, *(one for one in ALL if one.table != DRIVERS)]
    others = [table for table in READ_TABLES if table != DRIVERS]
    with capture_logs() as logs:
        async with together(fleet, database, projections) as leases:
            fleet.register("driver", "EMP-1")
            await eventually(lambda: leases[0].state.error == "KeyError")
            for number in range(3):
                fleet.register("horse", f"HRS-{number}")
                await eventually(lambda: reached(fleet, others))
            assert all(lease.state.ok for lease in leases[1:])
            assert position_of(fleet.connection, "drivers") == 1
            failing.is_mended = True
            await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    assert personal not in str(logs)
    stopped = {entry["projection"] for entry in logs if entry["event"] == "projection_stopped"}
    assert stopped == {"drivers"}
    parted = [entry["error"] for entry in logs if entry["event"] == "projections_separated"]
    assert parted == ["KeyError"]


async def test_stream_is_quarantined_and_released_while_projections_advance_together(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    async with together(fleet, database):
        fleet.register("driver", "EMP-1")
        await eventually(lambda: reached(fleet))
        fleet.change("driver", "EMP-1", city="Pune")
        mend = spoil(fleet.connection, fleet.position, next(iter(POISONS)))
        fleet.change("driver", "EMP-1", city="Nagpur")
        fleet.register("driver", "EMP-2")
        await eventually(lambda: reached(fleet))
        mend()
        for number in range(20):
            fleet.change("driver", "EMP-1", city=f"Hosur {number}")
            if number == 10:
                await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
        await eventually(lambda: reached(fleet))
        # Events that were applied before the fix were described without the spoilt event.
        await rebuild(database.projections, PROJECTIONS["revisions"])
        await rebuild(database.projections, PROJECTIONS["drivers"])
        fleet.change("driver", "EMP-1", city="Mysuru")
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_projections_continue_after_a_lost_session(fleet: Fleet, database: Database) -> None:
    async with together(fleet, database):
        for number in range(3):
            fleet.connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND query LIKE '%pg_notify(''fleetlog_projected''%'"
                " AND pid <> pg_backend_pid()"
            )
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_changes_exceeding_one_statement_are_applied(
    fleet: Fleet, connection: AsyncConnection, session: PreparedSession, database: Database
) -> None:
    fleet.register("horse", "HRS-1", metadata={"notes": "x" * 700_000})
    await catch_up(connection)
    targets = await places(connection)
    for number in range(5):
        fleet.change("horse", "HRS-1", hired=str(number))
    batch = await read_batch(ConnectionSession(connection), after=1)
    assert await apply(session, targets, batch) == batch.to
    async with at_work(database, *ALL):
        for number in range(5, 10):
            fleet.change("horse", "HRS-1", hired=str(number))
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (fleet.position, fleet.position)


async def test_event_with_lost_notification_is_applied_by_the_next_poll(
    fleet: Fleet, database: Database
) -> None:
    async with at_work(database, PROJECTIONS["drivers"]) as (lease,):
        await eventually(lambda: lease.state.ok)
        insert_event(
            fleet.connection, position=1, stream="horse:1", version=1, topic="horse.registered", state=b"{}"
        )
        await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
    assert POLL_SECONDS <= 1


async def test_change_without_a_next_event_notifies_all_rows(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    mend = spoil(fleet.connection, 1, next(iter(POISONS)))
    await catch_up(connection)
    mend()
    async with await connect(database.query, autocommit=True) as listener:
        await listener.execute("LISTEN fleetlog_projected")
        assert await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
        assert [one.payload async for one in listener.notifies(timeout=60, stop_after=1)] == ["drivers:1-1"]
        await rebuild(database.projections, PROJECTIONS["drivers"])
        assert [one.payload async for one in listener.notifies(timeout=60, stop_after=1)] == ["drivers:1-1"]


async def test_projection_waits_for_an_uncommitted_event(fleet: Fleet, database: Database) -> None:
    with psycopg.connect(database.owner) as slow:
        insert_event(slow, position=1, stream="horse:1", version=1, topic="horse.registered", state=b"{}")
        insert_event(
            fleet.connection, position=2, stream="horse:2", version=1, topic="horse.registered", state=b"{}"
        )
        async with at_work(database, PROJECTIONS["drivers"]) as (lease,):
            await eventually(lambda: lease.state.error is not None)
            assert "position 1" in str(lease.state.error)
            assert position_of(fleet.connection, "drivers") == 0
            slow.commit()
            await eventually(lambda: position_of(fleet.connection, "drivers") == 2)


async def test_lease_is_reacquired_after_its_connection_is_terminated(
    fleet: Fleet, database: Database
) -> None:
    async with at_work(database, PROJECTIONS["drivers"]) as (lease,):
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
            fleet.connection.execute(
                "SELECT pg_terminate_backend(%s)", (leader_of(fleet.connection, DRIVERS),)
            )
        await eventually(lambda: lease.state.error is not None)
        await eventually(lambda: lease.state.ok)


@pytest.mark.parametrize("in_statement", [False, True])
async def test_silent_leader_loses_its_lock(database: Database, *, in_statement: bool) -> None:
    async with (
        await connect(database.projections, autocommit=True) as frozen,
        await connect(database.projections, autocommit=True) as spare,
    ):
        assert await try_to_lock(frozen, lead_key(DRIVERS))
        assert not await try_to_lock(spare, lead_key(DRIVERS))
        await end_when_silent(frozen, idle_seconds=600 if in_statement else 1, transaction_seconds=1)
        if in_statement:
            # Exceeds the socket's buffer: the client never sends the rest.
            frozen.pgconn.send_query_params(b"SELECT length($1)", [b"x" * 50_000_000])
        async with asyncio.timeout(60):
            while not await try_to_lock(spare, lead_key(DRIVERS)):  # noqa: ASYNC110 - the server sends no notification
                await asyncio.sleep(0.05)
        frozen.pgconn.finish()


async def test_long_backlog_is_applied_without_waiting_for_polls(fleet: Fleet, database: Database) -> None:
    register(fleet, 0, 2 * BATCH_EVENTS)
    async with at_work(database, PROJECTIONS["drivers"], poll_seconds=60):
        await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)


@pytest.mark.parametrize("payload", ["9" * 18, "9" * 5_000, "nonsense", ""])
async def test_invalid_notifications_do_not_disturb_the_projector(
    fleet: Fleet, database: Database, payload: str
) -> None:
    with psycopg.connect(database.query, autocommit=True) as stranger:
        async with at_work(database, PROJECTIONS["drivers"], poll_seconds=60) as (lease,):
            await eventually(lambda: lease.state.ok)
            for _ in range(3):
                stranger.execute("SELECT pg_notify(%s, %s)", (APPENDED_CHANNEL, payload))
                fleet.register("driver", f"EMP-{fleet.position}")
                await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
    assert lease.state.error is None
