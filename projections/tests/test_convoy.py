"""That projections which stand at one position move on together, and each still stands or falls alone."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS, HORSES
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of
from projections_testing.following import apply_next, at_work, catch_up, eventually, followers_of  # fmt: skip
from projections_testing.poison import POISONS, spoil
from psycopg import AsyncConnection, sql
from structlog.testing import capture_logs

from command_api.event_store.records import RecordedEvent
from ops.base.database.pools import connect
from ops.base.database.prepared import PreparedSession
from ops.testing.postgres import Database
from projections.applying.projection import Changes, Projection
from projections.applying.retrying import retry
from projections.applying.states import Known
from projections.applying.step import Standing, apply_together
from projections.catalogue import PROJECTIONS
from projections.entity_tables.projection import EntityProjection
from projections.progress import positions
from projections.reading.log import read_batch
from projections.rebuild.rebuilding import rebuild
from projections.tables import READ_TABLES, ReadTable
from projections.tables.projected import Projected
from projections.worker.follower import Follower

pytestmark = pytest.mark.integration

ALL = list(PROJECTIONS.values())


def reached(fleet: Fleet, tables: Iterable[ReadTable] = READ_TABLES) -> bool:
    return all(position_of(fleet.connection, table.name) == fleet.position for table in tables)


def transactions(fleet: Fleet) -> int:
    """How many transactions have written the positions as they are now."""
    row = fleet.connection.execute("SELECT count(DISTINCT xmin::text) FROM read.positions").fetchone()
    assert row
    return int(row[0])


async def places(connection: AsyncConnection, projections: Iterable[Projection] = ALL) -> list[Standing]:
    for projection in projections:
        await positions.prepare(connection, projection.table)
    return [Standing(one, await positions.place_of(connection, one.table)) for one in projections]


@pytest.fixture
async def session(database: Database) -> AsyncIterator[PreparedSession]:
    async with PreparedSession(await connect(database.projections, autocommit=True)) as session:
        yield session


@asynccontextmanager
async def riding(fleet: Fleet, *followers: Follower) -> AsyncIterator[None]:
    """Followers at work, all of which ride."""
    async with at_work(*followers):
        await eventually(lambda: all(follower.state.role == "leading" for follower in followers))
        tables = [follower.projection.table for follower in followers]

        def together() -> bool:
            # One that leads a moment later than the others moves on by itself at first.
            if reached(fleet, tables) and transactions(fleet) > 1:
                fleet.register("location", f"RIDING-{fleet.position}")
            return fleet.position > 0 and reached(fleet, tables) and transactions(fleet) == 1

        fleet.register("location", "RIDING")
        await eventually(together)
        yield


async def test_they_come_to_move_on_together(fleet: Fleet, database: Database) -> None:
    async with riding(fleet, *followers_of(ALL, database)):
        for number in range(10):
            fleet.register("driver", f"EMP-{number}")
            fleet.change("driver", "EMP-0", city=f"Pune {number}")
            fleet.register("horse", f"HRS-{number}")
        fleet.remove("driver", "EMP-1")
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_a_step_is_one_transaction_and_one_notification(
    fleet: Fleet, database: Database, connection: AsyncConnection, session: PreparedSession
) -> None:
    standing = await places(connection)
    fleet.register("driver", "EMP-1")
    fleet.register("horse", "HRS-1")
    fleet.change("driver", "EMP-1", city="Pune")
    batch = await read_batch(connection, after=0)
    async with await connect(database.query, autocommit=True) as listener:
        await listener.execute("LISTEN fleetlog_projected")
        assert await apply_together(session, standing, batch)
        told = [Projected.parse(one.payload) async for one in listener.notifies(timeout=60, stop_after=1)]
    assert told == [
        Projected(tuple(PROJECTIONS), 3, 0, frozenset({"driver:EMP-1", "horse:HRS-1"})),
    ]
    assert transactions(fleet) == 1
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    changed = fleet.connection.execute("SELECT projection, changed_position FROM read.positions").fetchall()
    assert dict(changed) == {"drivers": 3, "horses": 2, "revisions": 3, "trailers": 0, "locations": 0}
    assert not any("shared" in name for event in batch for name in event.__dict__)


async def test_it_writes_what_each_alone_writes(
    fleet: Fleet, connection: AsyncConnection, session: PreparedSession
) -> None:
    """Also where streams begin in the midst, end, and begin again."""
    for number, step in enumerate((1, 2, 3, 7, 50)):
        fleet.register("trailer", f"TRL-{number}")
        for each in range(step):
            fleet.change("trailer", f"TRL-{number}", hired=f"{each}")
            fleet.change("trailer", "TRL-0", hired=f"{number} {each}")
        fleet.remove("trailer", f"TRL-{number // 2}")
        fleet.register("trailer", f"TRL-{number // 2}", hired="It's \"a {\\} , NULL")
        standing = await places(connection)
        batch = await read_batch(connection, after=standing[0].place.position)
        assert await apply_together(session, standing, batch)
    rows = {
        table.name: fleet.connection.execute(
            sql.SQL("SELECT one::text FROM {} AS one ORDER BY position").format(table.identifier)
        ).fetchall()
        for table in READ_TABLES
    }
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    fleet.connection.execute("TRUNCATE read.positions, read.quarantined_streams")
    for table in READ_TABLES:
        fleet.connection.execute(sql.SQL("TRUNCATE {}").format(table.identifier))
    await catch_up(connection)
    for table in READ_TABLES:
        alone = fleet.connection.execute(
            sql.SQL("SELECT one::text FROM {} AS one ORDER BY position").format(table.identifier)
        ).fetchall()
        assert alone == rows[table.name]


@pytest.mark.parametrize(
    "meanwhile",
    [
        "UPDATE read.positions SET position = 2 WHERE projection = 'horses'",
        "UPDATE read.positions SET generation = generation + 1 WHERE projection = 'horses'",
        "UPDATE read.positions SET version = version + 1 WHERE projection = 'horses'",
        "DELETE FROM read.positions WHERE projection = 'horses'",
    ],
)
async def test_nothing_is_written_where_one_does_not_stand_where_it_stood(
    fleet: Fleet, connection: AsyncConnection, session: PreparedSession, meanwhile: str
) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    standing = await places(connection)
    fleet.change("driver", "EMP-1", city="Pune")
    batch = await read_batch(connection, after=1)
    fleet.connection.execute(meanwhile.encode())
    assert not await apply_together(session, standing, batch)
    assert position_of(fleet.connection, "drivers") == 1
    assert fleet.connection.execute("SELECT count(*) FROM read.revisions").fetchone() == (1,)
    assert await apply_together(session, [one for one in standing if one.projection.table != HORSES], batch)


async def test_who_holds_one_of_them_holds_no_others_up(fleet: Fleet, database: Database) -> None:
    others = [table for table in READ_TABLES if table != HORSES]
    async with riding(fleet, *followers_of(ALL, database)):
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


async def test_one_that_fails_is_told_alone_and_the_others_ride_on(fleet: Fleet, database: Database) -> None:
    personal = "Ravi Kumar"

    class Failing(EntityProjection):
        is_mended = False

        def fold(self, events: Sequence[RecordedEvent], known: Known) -> Changes:
            if not self.is_mended:
                raise KeyError(personal)
            return super().fold(events, known)

    failing = Failing(DRIVERS)
    followers = followers_of([failing, *(one for one in ALL if one.table != DRIVERS)], database)
    others = [table for table in READ_TABLES if table != DRIVERS]
    with capture_logs() as logs:
        async with riding(fleet, *followers):
            fleet.register("driver", "EMP-1")
            await eventually(lambda: followers[0].state.error == "KeyError")
            for number in range(3):
                fleet.register("horse", f"HRS-{number}")
                await eventually(lambda: reached(fleet, others))
            assert all(follower.state.ok for follower in followers[1:])
            assert position_of(fleet.connection, "drivers") == 1
            failing.is_mended = True
            await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    assert personal not in str(logs)
    stopped = {entry["projection"] for entry in logs if entry["event"] == "projection_stopped"}
    assert stopped == {"drivers"}
    parted = [entry["error"] for entry in logs if entry["event"] == "projections_part"]
    assert parted == ["KeyError"]


async def test_a_stream_is_set_aside_and_healed_while_they_ride(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    async with riding(fleet, *followers_of(ALL, database)):
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
        # What was applied before it was mended was described without it.
        await rebuild(database.projections, PROJECTIONS["revisions"])
        await rebuild(database.projections, PROJECTIONS["drivers"])
        fleet.change("driver", "EMP-1", city="Mysuru")
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_they_ride_on_after_the_convoy_has_lost_its_session(fleet: Fleet, database: Database) -> None:
    async with riding(fleet, *followers_of(ALL, database)):
        for number in range(3):
            fleet.connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND query LIKE '%pg_notify(''fleetlog_projected''%'"
                " AND pid <> pg_backend_pid()"
            )
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_two_workers_that_both_ride_count_each_event_once(
    fleet: Fleet, connection: AsyncConnection, database: Database
) -> None:
    for number in range(100):
        fleet.register("driver", f"EMP-{number}")
        fleet.change("driver", f"EMP-{number // 2}", city=f"Pune {number}")
    await places(connection)
    losses = 0

    async def work() -> None:
        nonlocal losses
        async with (
            await connect(database.projections, autocommit=True) as reader,
            PreparedSession(await connect(database.projections, autocommit=True)) as session,
        ):
            while not reached(fleet):
                standing = await places(reader)
                furthest = min(one.place.position for one in standing)
                group = [one for one in standing if one.place.position == furthest]
                batch = await read_batch(reader, after=furthest, max_events=3)
                losses += bool(batch) and not await apply_together(session, group, batch)

    async with asyncio.timeout(120):
        await asyncio.gather(work(), work(), work())
    assert losses > 0  # else they never met, and this shows nothing
    assert_tables_hold(fleet, fold_of_log(fleet.connection))


async def test_what_is_too_much_for_one_statement_is_applied_alone(
    fleet: Fleet, connection: AsyncConnection, session: PreparedSession, database: Database
) -> None:
    fleet.register("horse", "HRS-1", metadata={"notes": "x" * 700_000})
    await catch_up(connection)
    standing = await places(connection)
    for number in range(5):
        fleet.change("horse", "HRS-1", hired=str(number))
    assert not await apply_together(session, standing, await read_batch(connection, after=1))
    assert position_of(fleet.connection, "revisions") == 1
    await apply_next(connection, PROJECTIONS["revisions"])
    async with at_work(*followers_of(ALL, database)):
        await eventually(lambda: reached(fleet))
        for number in range(5, 10):
            fleet.change("horse", "HRS-1", hired=str(number))
        await eventually(lambda: reached(fleet))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
