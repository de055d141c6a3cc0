"""That every event counts exactly once, whoever else is at work and wherever it stops."""

import asyncio
import signal
from collections.abc import Sequence

import psycopg
import pytest
from projections_testing.fleet import Fleet, fold_of_log, position_of, rows_of
from projections_testing.following import apply_next, catch_up, eventually
from projections_testing.processes import RunningWorker, run
from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from ops.base.database.pools import connect
from ops.testing.postgres import Database, is_sleeping
from projections.applying.projection import Changes, Filling, Projection
from projections.applying.states import Known, Question, Stream
from projections.catalogue import PROJECTIONS
from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.progress import positions
from projections.progress.positions import PositionTaken
from projections.rebuild.rebuilding import rebuild
from projections.tables import READ_TABLES, ReadTable

pytestmark = pytest.mark.integration


TALLY = ReadTable("tally", 2)


class Tally:
    """A projection that counts: handling an event twice or never would show."""

    table = TALLY
    key = "events"

    def __init__(self, *, fails_at: int | None = None) -> None:
        self.fails_at = fails_at

    async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
        for event in batch:
            if event.position == self.fails_at:
                raise RuntimeError
            await connection.execute("UPDATE read.tally SET events = events + 1")
        return batch[-1].position

    def concerns(self, event: RecordedEvent) -> bool:
        raise NotImplementedError

    def question(self, streams: Sequence[Stream]) -> Question:
        raise NotImplementedError

    def fold(self, events: Sequence[RecordedEvent], known: Known) -> Changes:
        raise NotImplementedError

    def on_next_table(self) -> Projection:
        raise NotImplementedError

    def filling(self, connection: AsyncConnection) -> Filling:
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


async def test_two_workers_that_both_believe_to_lead_count_each_event_once(
    fleet: Fleet, tally: Tally, database: Database
) -> None:
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


async def test_a_worker_that_lost_a_race_has_written_nothing(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    class Late(Tally):
        async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
            await super().handle(connection, batch)
            positions.require_advanced(await connection.execute(positions.advancing(TALLY, batch)))
            return batch[-1].position

    fleet.register("driver", "EMP-1")
    with pytest.raises(PositionTaken):
        await apply_next(connection, Late())
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (0, 0)


async def test_a_worker_that_dies_within_a_batch_leaves_nothing_of_it(
    fleet: Fleet, tally: Tally, database: Database, connection: AsyncConnection
) -> None:
    class Dying(Tally):
        async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
            await super().handle(connection, batch)
            fleet.connection.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
            return batch[-1].position

    fleet.register("driver", "EMP-1")
    with pytest.raises(psycopg.OperationalError):
        async with await connect(database.projections, autocommit=True) as doomed:
            await apply_next(doomed, Dying())
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (0, 0)
    await apply_next(connection, tally)
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (1, 1)


async def test_a_worker_that_is_interrupted_within_a_batch_leaves_nothing_of_it(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    class Slow(Tally):
        async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
            await super().handle(connection, batch)
            await connection.execute("SELECT pg_sleep(60)")
            return batch[-1].position

    fleet.register("driver", "EMP-1")
    working = asyncio.create_task(apply_next(connection, Slow()))
    await eventually(lambda: is_sleeping(fleet.connection, connection.info.backend_pid))
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (0, 0)
    assert await apply_next(connection, tally) == 1


async def test_a_projection_that_fails_keeps_nothing_of_the_batch_and_passes_over_nothing(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    for number in range(5):
        fleet.register("driver", f"EMP-{number}")
    tally.fails_at = 4
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await apply_next(connection, tally)
    assert (counted(fleet), position_of(fleet.connection, "tally")) == (0, 0)
    tally.fails_at = None
    assert await apply_next(connection, tally) == 5
    assert counted(fleet) == 5


async def test_a_worker_leaves_tables_of_another_version_alone(
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


async def test_an_empty_table_is_of_any_version(fleet: Fleet, connection: AsyncConnection) -> None:
    for version in (1, 2):
        await positions.prepare(connection, ReadTable("tally", version))
        assert await positions.read(connection, ReadTable("tally", version)) == 0


async def test_a_table_that_is_ahead_of_its_log_is_not_trusted(
    fleet: Fleet, tally: Tally, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await apply_next(connection, tally)
    fleet.connection.execute("TRUNCATE log.events")
    with pytest.raises(BeyondHead, match="rebuild"):
        await positions.prepare(connection, TALLY)


WORKER = ("projection.position_moved", "projection.rows_written", "projection.committed")
TOGETHER = ("projections.states_read", "projections.committed", "projections.notified")
REBUILD = ("rebuild.batch_written", "rebuild.before_swap", "rebuild.swapping", "rebuild.swapped")


def all_reached(fleet: Fleet) -> bool:
    return all(position_of(fleet.connection, table.name) == fleet.position for table in READ_TABLES)


def assert_equal_to_the_fold(fleet: Fleet) -> None:
    assert rows_of(fleet.connection, "drivers") == {
        entity_id: (state.version, state.record())
        for (_, entity_id), state in fold_of_log(fleet.connection).items()
    }
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (fleet.position, fleet.position)


async def test_a_worker_killed_at_any_boundary_counts_each_event_once(
    fleet: Fleet, database: Database
) -> None:
    for number, failpoint in enumerate(WORKER):
        fleet.register("driver", f"EMP-{number}")
        fleet.change("driver", "EMP-0", city=failpoint)
        with RunningWorker(database, failpoint=failpoint) as worker:
            assert worker.process.wait(timeout=60) == -signal.SIGKILL
    for number, failpoint in enumerate(TOGETHER, start=len(WORKER)):
        with RunningWorker(database, failpoint=failpoint) as worker:
            # By itself at first: only then it moves all of them on together.
            await eventually(lambda: worker.process.poll() is not None or all_reached(fleet))
            while worker.process.poll() is None:
                fleet.register("driver", f"EMP-{number}-{fleet.position}")
                fleet.change("driver", "EMP-0", city=f"{failpoint} {fleet.position}")
                await eventually(lambda: worker.process.poll() is not None or all_reached(fleet))
            assert worker.process.wait(timeout=60) == -signal.SIGKILL
    with RunningWorker(database):
        await eventually(lambda: all_reached(fleet))
    assert_equal_to_the_fold(fleet)


async def test_a_rebuild_killed_at_any_boundary_leaves_a_table_that_is_whole(
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
