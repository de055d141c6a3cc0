"""The log in PostgreSQL: the contract of all logs, concurrency, and faulty networks."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from command_api_testing.log_contract import KeepSnapshots, LogContract, an_append, an_event
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog
from eventsourcing.persistence import StoredEvent
from psycopg.types.json import Json

from command_api.event_store import appender as appenders
from command_api.event_store import statements
from command_api.event_store.appender import append_batch, open_session
from command_api.event_store.records import (
    AppendedEvents,
    AppendRequest,
    Decision,
    RecordedDecision,
    Snapshot,
    VersionConflict,
)
from ops.base.database.pools import connect
from ops.base.database.prepared import PreparedSession
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from ops.testing.waiting import wait_until

pytestmark = pytest.mark.integration


WAITS_FOR = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid)))"


@pytest.fixture
async def log(database: Database) -> AsyncIterator[WholeLog]:
    async with WholeLog.open(database.command) as log:
        yield log


async def test_concurrent_appends_share_commits(log: WholeLog, database: Database) -> None:
    await asyncio.gather(*(log.append(an_append()) for _ in range(200)))

    async with await connect(database.owner) as connection:
        cursor = await connection.execute("SELECT count(DISTINCT xmin::text) FROM log.events")
        (transactions,) = await cursor.fetchone() or (0,)
    assert transactions < 20


async def test_commands_continue_before_notify(log: WholeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    async def notify(*_: object) -> None:
        steps.append("notify")

    async def command() -> None:
        await log.append(an_append())
        steps.append("answer")

    monkeypatch.setattr(appenders, "notify", notify)
    await asyncio.gather(*(command() for _ in range(3)))
    await wait_until(lambda: "notify" in steps)

    assert steps[:3] == ["answer"] * 3


async def test_followers_do_not_skip_events_that_are_committed_late(
    log: WholeLog, database: Database
) -> None:
    """A slow writer has its position and has not committed; a follower reads meanwhile."""
    seen: list[int] = []

    async def follow() -> None:
        while len(seen) < 31:
            seen.extend(event.position for event in await log.after(seen[-1] if seen else 0, limit=7))
            await asyncio.sleep(0.001)

    async def write_slowly(started: asyncio.Event) -> None:
        async with await connect(database.command) as connection:
            await connection.execute("SELECT 1")  # begins a transaction
            await append_batch(PreparedSession(connection), [an_append(an_event("horse:slow"))])
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


async def test_appends_survive_lost_connections(log: WholeLog, database: Database) -> None:
    async def cut_connections() -> None:
        async with await connect(database.owner, autocommit=True) as connection:
            for _ in range(10):
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                await asyncio.sleep(0.05)  # cut at any moment

    async def write() -> int:
        return len([await log.append(an_append()) for _ in range(40)])

    written, *_ = await asyncio.gather(asyncio.gather(*(write() for _ in range(8))), cut_connections())

    events = await log.after(0, limit=1000)
    assert len(events) == sum(written) == 320


async def test_lost_answers_to_commits_append_nothing_twice(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), WholeLog.open(dsn, pool_size=1) as log:
        for turn in range(5):
            network.lose_next_answer_to(b"horse:")
            appends = [
                AppendRequest(uuid.uuid4(), (StoredEvent(f"horse:{turn}-{n}", 1, "horse.registered", b"{}"),))
                for n in range(8)
            ]

            appended = await asyncio.gather(*(log.append(append) for append in appends))

            positions = [outcome.events[0].position for outcome in appended]
            assert sorted(positions) == list(range(8 * turn + 1, 8 * turn + 9))
        assert network.lost_answers == 5
        assert await log.head() == 40


async def test_lost_answers_to_decisions_store_nothing_twice(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), WholeLog.open(dsn, pool_size=1) as log:
        network.lose_next_answer_to(b"horse:")
        decisions = [Decision(f"horse:{n}", 0, "not registered") for n in range(8)]
        kept = await asyncio.gather(
            *(log.append(AppendRequest(uuid.uuid4(), decision=one, fingerprint="f")) for one in decisions)
        )
        assert [one.decision for one in kept if isinstance(one, RecordedDecision)] == decisions
        assert network.lost_answers == 1


LONG_SECONDS = 30.0
"""Generous; a silent append takes 4 s, and a dead session's lock ends after 2 s."""


async def test_silent_connection_is_replaced_and_appends_nothing_twice(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), WholeLog.open(dsn, pool_size=1) as log:
        await log.append(an_append())
        network.fall_silent(to_server=False)
        appending = [asyncio.create_task(log.append(an_append())) for _ in range(8)]
        await asyncio.sleep(0)  # let them start
        network.heal()
        async with asyncio.timeout(LONG_SECONDS):
            appended = await asyncio.gather(*appending)
        assert sorted(outcome.events[0].position for outcome in appended) == list(range(2, 10))
    async with WholeLog.open(database.command) as log:
        assert await log.head() == 9


async def test_dead_session_releases_the_log_lock(database: Database) -> None:
    dead = await connect(database.command)
    async with AsyncExitStack() as ending, WholeLog.open(database.command) as log:
        await dead.execute(statements.SESSION)  # in a transaction, which does not commit
        session = await ending.enter_async_context(PreparedSession(dead))
        await append_batch(session, [an_append()])
        async with asyncio.timeout(LONG_SECONDS):
            await log.append(an_append())


class TestEventLog(LogContract):
    @pytest.fixture
    def keep_snapshots(self, database: Database) -> KeepSnapshots:
        def keep_snapshots(known: Sequence[Snapshot]) -> None:
            with psycopg.connect(database.owner) as connection:
                for one in known:
                    place = one.reference
                    connection.execute(
                        "INSERT INTO read.revisions (position, entity, entity_id, version, type, moment,"
                        " changes, state, public_event)"
                        " VALUES (%s, 'horse', 'H1', %s, %s, %s, '[]', %s, '{}')",
                        [place.position, place.version, place.topic, place.moment, Json(one.record)],
                    )

        return keep_snapshots


del LogContract  # an abstract test case


def any_append(source: random.Random, ids: list[uuid.UUID]) -> AppendRequest:
    """Return a random append to few streams with few ids, so that conflicts are frequent."""

    def place() -> tuple[str, int]:
        return f"horse:{source.randrange(3)}", source.choice([0, 1, 1, 2, 3, 4, 5, 6, 7])

    fingerprint = source.choice([None, "f", "g"])
    if fingerprint and source.random() < 0.4:
        decision = Decision(*place(), source.choice(["nothing to do", "not registered"]))
        return AppendRequest(source.choice(ids), decision=decision, fingerprint=fingerprint)
    states = (b"x" * source.randrange(9) for _ in range(source.choice([1, 1, 1, 2, 3])))
    events = tuple(an_event(*place(), state=state) for state in states)
    return AppendRequest(source.choice(ids) if fingerprint else uuid.uuid4(), events, fingerprint=fingerprint)


async def answer_of(asked: Callable[[], Awaitable[Any]]) -> Any:
    """Return a log's answer without moments, which differ between logs."""
    try:
        found = await asked()
    except VersionConflict:
        return "conflict"
    match found:
        case AppendedEvents(events):
            return [replace(event, moment=None) for event in events]  # type: ignore[arg-type]
        case list() as events:
            return [replace(event, moment=None) for event in events]
    return found


async def test_in_memory_log_behaves_like_the_log_in_postgresql(database: Database) -> None:
    source = random.Random(16)
    ids = [uuid.UUID(int=number) for number in range(60)]
    memory = LogInMemory()
    async with WholeLog.open(database.command) as real:
        met, sent = set(), [an_append()]
        for _ in range(300):
            append = source.choice(sent) if source.random() < 0.2 else any_append(source, ids)
            sent.append(append)
            expected = await answer_of(lambda: real.append(append))  # noqa: B023 - called at once
            assert await answer_of(lambda: memory.append(append)) == expected, append  # noqa: B023
            met.add(type(expected))
        assert met == {list, RecordedDecision, str}
        for stream in ("horse:0", "horse:1", "horse:2"):
            for after in range(-1, 9):
                theirs, ours = [await log.page(stream, after=after) for log in (real, memory)]
                assert (ours.is_last, len(ours.events)) == (theirs.is_last, len(theirs.events))
                assert (ours.previous is None) == (theirs.previous is None)
                latest = [
                    await answer_of(lambda: log.latest(stream, after=after, up_to=6, limit=3))  # noqa: B023
                    for log in (real, memory)
                ]
                assert latest[0] == latest[1]
        assert await real.head() == await memory.head()


def some_batch(source: random.Random, ids: list[uuid.UUID], sent: list[AppendRequest]) -> list[AppendRequest]:
    """Return commands without conflicts, or with one that may conflict."""
    batch = [an_append(an_event(f"horse:{uuid.uuid4()}", source.choice([0, 1, 1]))) for _ in range(8)]
    batch += (
        an_append(an_event(str(event.originator_id), event.originator_version + 1), fingerprint="f")
        for event in {one.events[0].originator_id: one.events[0] for one in sent[-9:] if one.events}.values()
    )
    batch = source.sample(batch, k=source.choice([1, 3, 4, 5, 9]))
    if source.random() < 0.7:
        batch.insert(source.randrange(len(batch) + 1), in_the_way(source, ids, batch, sent))
    return batch


def in_the_way(
    source: random.Random, ids: list[uuid.UUID], batch: list[AppendRequest], sent: list[AppendRequest]
) -> AppendRequest:
    """Return a command that is repeated or conflicts."""
    own = (an_event(f"horse:{uuid.uuid4()}", 1),)
    # Commands without idempotency key have unique ids.
    known, new = ([one for one in some if one.fingerprint] for some in (sent, batch))
    match source.randrange(6):
        case 0:
            return source.choice([*batch, *sent])
        case 1:
            return AppendRequest(uuid.uuid4(), source.choice(batch).events or own)
        case 2 if new:
            return AppendRequest(source.choice(new).command_id, own, fingerprint="f")
        case 3 if known:
            return AppendRequest(source.choice(known).command_id, own, fingerprint="f")
        case 4:
            decision = Decision(str(own[0].originator_id), 0, "not registered")
            return AppendRequest(source.choice(ids), decision=decision, fingerprint="f")
        case _:
            return any_append(source, ids)


async def test_batch_has_the_outcomes_of_sequential_appends(database: Database) -> None:
    source = random.Random(17)
    ids = [uuid.UUID(int=number) for number in range(200)]
    memory = LogInMemory()
    sent, met = [an_append()], set[frozenset[type]]()
    session = await open_session(database.command)
    for _ in range(150):
        batch = some_batch(source, ids, sent)
        sent += batch
        outcomes = await append_batch(session, batch)
        expected = [await answer_of(lambda: memory.append(one)) for one in batch]  # noqa: B023
        assert [await answer_of(lambda: raised(outcome)) for outcome in outcomes] == expected  # noqa: B023
        met.add(frozenset(map(type, expected)))
    assert frozenset([list]) in met
    assert frozenset[type]().union(*met) == {list, RecordedDecision, str}
    await session.close()
    async with WholeLog.open(database.command) as log:
        assert await answer_of(lambda: log.after(0, limit=9_999)) == await answer_of(
            lambda: memory.after(0, limit=9_999)
        )


async def raised(
    outcome: AppendedEvents | RecordedDecision | VersionConflict,
) -> AppendedEvents | RecordedDecision:
    if isinstance(outcome, VersionConflict):
        raise outcome
    return outcome
