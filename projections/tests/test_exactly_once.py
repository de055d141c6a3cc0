"""Every event counts exactly once, with concurrent workers and crashes at any point."""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pytest
from projections_testing.fleet import Fleet, fold_of_log, position_of, rows_of
from projections_testing.leases import apply_next, catch_up, eventually
from projections_testing.poison import spoil
from projections_testing.processes import RunningWorker, run
from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from ops.base.database.pools import connect
from ops.testing.postgres import Database, is_sleeping
from projections.catalogue import PROJECTIONS
from projections.engine.projection import Changes, Projection
from projections.engine.states import KnownStates, StateQuery, Stream
from projections.engine.writes import Insertion, Statement, Write
from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.progress import positions
from projections.progress.positions import PositionTaken
from projections.rebuild.rebuild import rebuild
from read_model.tables import READ_TABLES, ReadTable

pytestmark = pytest.mark.integration


TALLY = ReadTable("tally", 2)


@dataclass(frozen=True)
class Count(Write):
    """Adds the number of events to the only row."""

    condition: str = ""

    def statements(self) -> Iterator[Statement]:
        update = "UPDATE read.tally SET events = events + %b::int WHERE {condition} "
        yield Statement((update + self.condition).encode(), [len(list(self.rows))])


class Tally:
    """A projection that counts: handling an event twice or never would show."""

    table = TALLY
    key = "events"
    prefix = ""
    condition = ""

    def state_query(self, streams: Sequence[Stream]) -> StateQuery:
        raise NotImplementedError

    def fold(self, events: Sequence[RecordedEvent], known: KnownStates) -> Changes:
        rows = [(event.position,) for event in events]
        return Changes(events[-1].position, [Count(self.table, Insertion(()), rows, (), self.condition)])

    def on_next_table(self) -> Projection:
        raise NotImplementedError


@pytest.fixture
async def tally(fleet: Fleet, connection: AsyncConnection) -> Tally:
    fleet.connection.execute("CREATE TABLE read.tally (events int NOT NULL)")
    fleet.connection.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON read.tally TO fleetlog_projector")
    await positions.prepare(connection, TALLY)
    fleet.connection.execute("INSERT INTO read.tally VALUES (0)")
    return Tally()


def counted(fleet: Fleet) -> int:
    row = fleet.connection.execute("SELECT events FROM read.tally").fetchone()
    assert row
    return int(row[0])


async def test_two_leaders_count_each_event_once(fleet: Fleet, tally: Tally, database: Database) -> None:
    losses = 0

    async def work() -> None:
        nonlocal losses
        async with await connect(database.projections, autocommit=True) as connection:
            while await positions.read(connection, TALLY) < 200:
                try:
                    await apply_next(connection, tally, max_events=3)
                except PositionTaken:
                    losses += 1

    for number in range(200):
        fleet.register("driver", f"EMP-{number}")
    await asyncio.gather(work(), work(), work())
    assert counted(fleet) == 200
    assert losses > 0  # else they never met, and this shows nothing


@pytest.mark.parametrize("end", ["cancel", "terminate"])
async def test_interrupted_worker_rolls_the_batch_back(
    fleet: Fleet, tally: Tally, database: Database, connection: AsyncConnection, end: str
) -> None:
    class Slow(Tally):
        condition = "AND pg_sleep(60) IS NOT NULL"

    fleet.register("driver", "EMP-1")
    async with await connect(database.projections, autocommit=True) as doomed:
        pid = doomed.info.backend_pid
        working = asyncio.create_task(apply_next(doomed, Slow()))
        await eventually(lambda: is_sleeping(fleet.connection, pid))
        if end == "cancel":
            working.cancel()
        else:
            fleet.connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        with pytest.raises((asyncio.CancelledError, psycopg.OperationalError)):
            await working
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (0, 0)
    assert await apply_next(connection, tally) == 1


async def test_worker_does_not_write_tables_of_another_version(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await apply_next(connection, tally)
    with pytest.raises(OlderVersion):
        await positions.prepare(connection, ReadTable("tally", 3))
    with pytest.raises(NewerVersion):
        await positions.prepare(connection, ReadTable("tally", 1))
    fleet.connection.execute("UPDATE read.positions SET version = 3 WHERE projection = 'tally'")
    with pytest.raises(PositionTaken):  # also when the later version comes while it works
        await apply_next(connection, tally)


async def test_empty_table_accepts_any_version(fleet: Fleet, connection: AsyncConnection) -> None:
    for version in (1, 2):
        await positions.prepare(connection, ReadTable("tally", version))
        assert await positions.read(connection, ReadTable("tally", version)) == 0


async def test_table_ahead_of_the_log_is_refused(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await apply_next(connection, tally)
    fleet.connection.execute("TRUNCATE log.events")
    with pytest.raises(BeyondHead, match="rebuild"):
        await positions.prepare(connection, TALLY)


WORKER = ("states_read", "committed", "notified", "position_moved", "rows_written")
REBUILD = ("rebuild.batch_written", "rebuild.before_swap", "rebuild.swap", "rebuild.swapped")


def all_reached(fleet: Fleet) -> bool:
    return all(position_of(fleet.connection, table.name) == fleet.position for table in READ_TABLES)


def assert_equal_to_the_fold(fleet: Fleet) -> None:
    assert rows_of(fleet.connection, "drivers") == {
        entity_id: (state.version, state.record())
        for (_, entity_id), state in fold_of_log(fleet.connection).items()
    }
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (fleet.position, fleet.position)


async def test_worker_killed_at_any_boundary_counts_each_event_once(fleet: Fleet, database: Database) -> None:
    for number, failpoint in enumerate(WORKER):
        fleet.register("driver", f"EMP-{number}")
        fleet.change("driver", "EMP-0", city=failpoint)
        mend = spoil(fleet.connection, fleet.position, "another shape")
        if failpoint in WORKER[:3]:  # only a quarantine needs several statements
            mend()
        with RunningWorker(database, failpoint=f"projections.{failpoint}") as worker:
            assert worker.wait() == -signal.SIGKILL
        mend()
    with RunningWorker(database):
        await eventually(lambda: all_reached(fleet))
    assert_equal_to_the_fold(fleet)


async def test_rebuild_killed_at_any_boundary_leaves_a_complete_table(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    for number in range(20):
        fleet.register("driver", f"EMP-{number}")
    await catch_up(connection)
    for projection, failpoint in zip(("drivers", "revisions") * 2, REBUILD, strict=True):
        fleet.change("driver", "EMP-0", city=failpoint)
        fleet.register("driver", failpoint)
        assert run(database, "rebuild", projection, failpoint=failpoint).returncode == -signal.SIGKILL
        await catch_up(connection)
        assert_equal_to_the_fold(fleet)
    for projection in ("drivers", "revisions"):
        again = await rebuild(database.projections, PROJECTIONS[projection])
        assert again.differences
        assert again.differences.count == 0
    assert_equal_to_the_fold(fleet)
    row = fleet.connection.execute("SELECT count(*) FROM read.positions").fetchone()
    assert row == (len(READ_TABLES),)
