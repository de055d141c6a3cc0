"""What the log promises because it is in PostgreSQL; what every log does is tested in `test_logs.py`."""

import asyncio
import uuid
from collections.abc import AsyncIterator

import psycopg
import pytest
from command_api_testing.whole_log import WholeLog
from eventsourcing.persistence import StoredEvent

from command_api.event_store.records import Append
from command_api.event_store.transaction import append_together
from ops.base.database import connect
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

WAITS_FOR = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid)))"


@pytest.fixture
async def log(database: Database) -> AsyncIterator[WholeLog]:
    async with WholeLog.open(database.command) as log:
        yield log


def an_append(stream: str | None = None, version: int = 1, state: bytes = b"{}") -> Append:
    event = StoredEvent(stream or f"horse:{uuid.uuid4().hex}", version, "horse.registered", state)
    return Append(uuid.uuid4(), (event,))


async def test_concurrent_appends_share_commits(log: WholeLog, database: Database) -> None:
    await asyncio.gather(*(log.append(an_append()) for _ in range(200)))

    async with await connect(database.owner) as connection:
        cursor = await connection.execute("SELECT count(DISTINCT xmin::text) FROM log.events")
        (transactions,) = await cursor.fetchone() or (0,)
    assert transactions < 20


async def test_moments_never_go_back_though_the_clock_does(log: WholeLog, database: Database) -> None:
    await log.append(an_append())
    async with await connect(database.owner) as connection:
        await connection.execute("UPDATE log.events SET moment = moment + interval '4 minutes'")

    await log.append(an_append())

    first, second = await log.after(0, limit=2)
    assert second.moment >= first.moment


async def test_no_follower_skips_an_event_that_commits_late(log: WholeLog, database: Database) -> None:
    """A slow writer has its position and has not committed; fast ones go on. A follower reads all along."""
    seen: list[int] = []

    async def follow() -> None:
        while len(seen) < 31:
            seen.extend(event.position for event in await log.after(seen[-1] if seen else 0, limit=7))
            await asyncio.sleep(0.001)

    async def write_slowly(started: asyncio.Event) -> None:
        async with await connect(database.command) as connection:
            await append_together(connection, [an_append("horse:slow")])  # which here does not commit
            started.set()
            await waited_for(connection.info.backend_pid)

    async def waited_for(pid: int) -> None:
        async with await connect(database.owner, autocommit=True) as observer:
            while not (await (await observer.execute(WAITS_FOR, [pid])).fetchone() or (False,))[0]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    started = asyncio.Event()
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        tasks.create_task(write_slowly(started))
        await started.wait()
        for _ in range(30):
            tasks.create_task(log.append(an_append()))

    assert seen == list(range(1, 32))


async def test_appending_survives_its_connection(log: WholeLog, database: Database) -> None:
    async def cut_connections() -> None:
        async with await connect(database.owner, autocommit=True) as connection:
            for _ in range(10):
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                await asyncio.sleep(0.05)  # a cut hits at any moment

    async def write() -> int:
        return len([await log.append(an_append()) for _ in range(40)])

    written, *_ = await asyncio.gather(asyncio.gather(*(write() for _ in range(8))), cut_connections())

    events = await log.after(0, limit=1000)
    assert len(events) == sum(written) == 320


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log.events SET topic = 'x'",
        "DELETE FROM log.events",
        "TRUNCATE log.events",
        "DROP TABLE log.events",
        "UPDATE log.identity SET log_id = 'x'",
    ],
)
@pytest.mark.parametrize("role", ["command", "projections", "query"])
async def test_no_service_may_rewrite_the_log(database: Database, role: str, statement: str) -> None:
    async with await connect(getattr(database, role)) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(statement)
