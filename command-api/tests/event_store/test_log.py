"""The log in PostgreSQL: the contract of all logs, concurrency, and faulty networks."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog
from eventsourcing.persistence import StoredEvent

from command_api.event_store import appender as appenders
from command_api.event_store import statements
from command_api.event_store.appender import AppendOutcome, append_batch, open_session
from command_api.event_store.log import LATEST_BYTES, PAGE_BYTES, PAGE_EVENTS
from command_api.event_store.records import (
    MAX_VERSION,
    AppendedEvents,
    AppendRequest,
    Decision,
    RecordedDecision,
    RecordedEvent,
    Snapshot,
    VersionConflict,
)
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from ops.base.encryption.key_cache import KEYS
from ops.testing.conditions import wait_until
from ops.testing.faulty_network import faulty_network
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

AnyLog = WholeLog | LogInMemory


def an_event(stream: str | None = None, version: int = 1, state: bytes = b"{}") -> StoredEvent:
    return StoredEvent(stream or f"horse:{uuid.uuid4().hex}", version, "horse.registered", state)


def an_append(*events: StoredEvent, **more: Any) -> AppendRequest:
    return AppendRequest(uuid.uuid4(), events or (an_event(),), **more)


def a_decision(stream: str, version: int, decision: str = "nothing to do") -> AppendRequest:
    return AppendRequest(uuid.uuid4(), decision=Decision(stream, version, decision), fingerprint="f")


async def fill(log: AnyLog, *sizes: int) -> list[RecordedEvent]:
    """Append events with states of these sizes to one stream."""
    events = [an_event("horse:H1", version, b"x" * size) for version, size in enumerate(sizes, start=1)]
    appended = [
        await log.append(an_append(*events[start : start + 50])) for start in range(0, len(events), 50)
    ]
    return [event for outcome in appended for event in outcome.events]


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


class LogContract:
    """Needs the fixture `log`, an empty log."""

    async def test_positions_are_dense_despite_conflicts(self, log: AnyLog) -> None:
        appends = [an_append(an_event(f"horse:{number % 40}")) for number in range(200)]
        outcomes = await asyncio.gather(*(log.append(append) for append in appends), return_exceptions=True)

        assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 160
        events = await log.after(0, limit=1000)
        assert [event.position for event in events] == list(range(1, 41))
        assert await log.after(30, limit=7) == events[30:37]
        assert await log.after(30, limit=7, up_to=33) == events[30:33]
        assert await log.after(0, limit=7, topics=["horse.moved"]) == []
        assert await log.after(9, limit=7, topics=["horse.moved", "horse.registered"]) == events[9:16]
        assert await log.head() == 40
        assert sorted(event.moment for event in events) == [event.moment for event in events]

    async def test_appended_events_are_read_unchanged(self, log: AnyLog) -> None:
        append = an_append(
            an_event("horse:H1", 1, b"\x00\xff"), an_event("horse:H2"), an_event("horse:H1", 2)
        )
        appended = await log.append(append)
        assert isinstance(appended, AppendedEvents)
        assert [StoredEvent(*astuple(event)[:4]) for event in appended.events] == list(append.events)
        assert await log.after(0, limit=10) == list(appended.events)
        assert (await log.page("horse:H1")).events == [appended.events[0], appended.events[2]]

    @pytest.mark.parametrize("versions", [(2,), (-1,), (1, 3), (1, 1), (2, 1), (0, 2)])
    async def test_versions_that_do_not_follow_are_refused(
        self, log: AnyLog, versions: tuple[int, ...]
    ) -> None:
        with pytest.raises(VersionConflict):
            await log.append(
                an_append(an_event("horse:H2"), *(an_event("horse:H1", one) for one in versions))
            )
        assert await log.head() == 0

    async def test_retried_append_is_no_conflict(self, log: AnyLog) -> None:
        for append in (
            an_append(),
            an_append(fingerprint="f"),
            an_append(an_event(), an_event()),
            an_append(an_event(), an_event(), fingerprint="f"),
        ):
            first = await log.append(append)
            assert await log.append(append) == first
            await log.append(an_append())
        assert await log.head() == 10

    async def test_retry_has_the_first_outcome(self, log: AnyLog) -> None:
        """The command id alone identifies a retry; callers compare the rest."""
        event = await log.append(first := an_append(an_event("horse:H1"), fingerprint="f"))
        decided = await log.append(second := a_decision("horse:H1", 1))
        assert decided == RecordedDecision(second.decision, 1, "f")  # type: ignore[arg-type]
        await log.append(an_append(an_event("horse:H1", 2)))

        for again in (
            a_decision("horse:H1", 2, "not registered"),
            an_append(an_event(), fingerprint="other"),
        ):
            assert await log.append(again._replace(command_id=first.command_id)) == event
            assert await log.append(again._replace(command_id=second.command_id)) == decided
        assert await log.head() == 2

    async def test_decision_on_another_version_is_a_conflict(self, log: AnyLog) -> None:
        unused = a_decision("horse:H1", 0)
        assert unused.decision
        assert await log.append(unused) == RecordedDecision(unused.decision, 0, "f")
        await log.append(an_append(an_event("horse:H1")))
        for version in (0, 2):
            with pytest.raises(VersionConflict):
                await log.append(a_decision("horse:H1", version))
        assert isinstance(await log.append(a_decision("horse:H1", 1)), RecordedDecision)

    async def test_large_event_is_appended_with_small_ones(self, log: AnyLog) -> None:
        states = [b"x" * 2_000_000, *(b"y" * 1000 for _ in range(300))]
        await asyncio.gather(*(log.append(an_append(an_event(state=state))) for state in states))

        stored = await log.after(0, limit=1000)
        assert sorted(len(event.state) for event in stored) == [1000] * 300 + [2_000_000]

    async def test_page_follows_a_version_and_knows_whether_it_is_last(self, log: AnyLog) -> None:
        events = await fill(log, *[2] * (PAGE_EVENTS + 2))
        first = await log.page("horse:H1")
        assert (first.previous, first.is_last) == (None, False)
        assert first.events == events[:PAGE_EVENTS]
        last = await log.page("horse:H1", after=PAGE_EVENTS)
        assert (last.previous, last.events, last.is_last) == (first.events[-1].reference, events[-2:], True)
        end = await log.page("horse:H1", after=len(events))
        assert (end.previous, end.events, end.is_last) == (events[-1].reference, [], True)
        for stream, after in (("horse:H1", len(events) + 1), ("horse:H2", 0), ("horse:H2", 7)):
            beyond = await log.page(stream, after=after)
            assert (beyond.previous, beyond.events, beyond.is_last) == (None, [], True)

    async def test_page_is_limited_in_bytes(self, log: AnyLog) -> None:
        events = await fill(log, PAGE_BYTES - 1, 1, 1, 2 * PAGE_BYTES, 1)
        for after, count in ((0, 2), (1, 3), (2, 2), (3, 1), (4, 1)):
            page = await log.page("horse:H1", after=after)
            assert page.events == events[after : after + count]
            assert page.is_last == (after + count == len(events))

    async def test_latest_events_are_limited_in_bytes(self, log: AnyLog) -> None:
        events = await fill(log, 1, 2 * LATEST_BYTES, LATEST_BYTES, 1, 1)
        for after, up_to, limit, expected in (
            (0, MAX_VERSION, 100, events[2:]),
            (0, 3, 100, events[2:3]),
            (0, 2, 100, events[1:2]),
            (0, 1, 100, events[:1]),
            (3, 5, 1, events[4:]),
            (4, 5, 9, events[4:]),
            (5, 5, 9, []),
        ):
            assert await log.latest("horse:H1", after=after, up_to=up_to, limit=limit) == expected

    async def test_snapshot_is_the_newest_up_to_a_version(self, log: AnyLog, tmp_path: Path) -> None:
        events = await fill(log, 1, 1, 1, 1)
        known = [Snapshot(events[at].reference, {"id": "H1", "at": at}) for at in (0, 2)]
        async with KEYS.use(OwnKeyStore.in_folder(tmp_path / "keys")):
            key = await KEYS.issue()
            for one in known:
                log.add_snapshot("horse:H1", key.id, one)
                log.add_snapshot("horse:H1", key.id, one._replace(record={"id": "H1", "at": "later"}))
            if isinstance(log, WholeLog):
                await log.snapshots_to_store.join()
            assert await log.snapshot("horse:H1") == known[1]
            assert await log.snapshot("horse:H1", up_to=2) == known[0]
            assert await log.snapshot("horse:H1", up_to=0) is None
            assert await log.snapshot("horse:H2") is None


class TestEventLog(LogContract):
    """The log in PostgreSQL."""


class TestLogInMemory(LogContract):
    @pytest.fixture
    def log(self) -> LogInMemory:
        return LogInMemory()


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
    outcome: AppendOutcome,
) -> AppendedEvents | RecordedDecision:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
