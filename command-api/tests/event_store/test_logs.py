"""What every log promises: the one in PostgreSQL, and the one in memory on which tests of others stand."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import astuple, replace
from typing import Any

import psycopg
import pytest
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog
from eventsourcing.persistence import StoredEvent
from psycopg.types.json import Json

from command_api.event_store.log import LATEST_BYTES, STRETCH_BYTES, STRETCH_EVENTS
from command_api.event_store.records import (
    MAX_VERSION,
    Append,
    Appended,
    Decided,
    Decision,
    RecordedEvent,
    Snapshot,
    VersionConflict,
)
from ops.testing.postgres import Database

AnyLog = WholeLog | LogInMemory


@pytest.fixture(params=["in memory", pytest.param("in PostgreSQL", marks=pytest.mark.integration)])
async def log(request: pytest.FixtureRequest) -> AsyncIterator[AnyLog]:
    if request.param == "in memory":
        yield LogInMemory()
        return
    database: Database = request.getfixturevalue("database")
    async with WholeLog.open(database.command) as log:
        yield log


def an_event(stream: str | None = None, version: int = 1, state: bytes = b"{}") -> StoredEvent:
    return StoredEvent(stream or f"horse:{uuid.uuid4().hex}", version, "horse.registered", state)


def an_append(*events: StoredEvent, **more: Any) -> Append:
    return Append(uuid.uuid4(), events or (an_event(),), **more)


def a_decision(stream: str, version: int, decision: str = "nothing to do") -> Append:
    return Append(uuid.uuid4(), decision=Decision(stream, version, decision), fingerprint="f")


async def fill(log: AnyLog, *sizes: int) -> list[RecordedEvent]:
    """Append to one stream events with states of these sizes."""
    events = [an_event("horse:H1", version, b"x" * size) for version, size in enumerate(sizes, start=1)]
    appended = [
        await log.append(an_append(*events[start : start + 50])) for start in range(0, len(events), 50)
    ]
    return [event for outcome in appended for event in outcome.events]


async def test_positions_are_dense_whatever_conflicts(log: AnyLog) -> None:
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


async def test_what_is_appended_is_what_is_read(log: AnyLog) -> None:
    append = an_append(an_event("horse:H1", 1, b"\x00\xff"), an_event("horse:H2"), an_event("horse:H1", 2))
    appended = await log.append(append)
    assert isinstance(appended, Appended)
    assert [StoredEvent(*astuple(event)[:4]) for event in appended.events] == list(append.events)
    assert await log.after(0, limit=10) == list(appended.events)
    assert (await log.stretch("horse:H1")).events == [appended.events[0], appended.events[2]]


@pytest.mark.parametrize("versions", [(2,), (-1,), (1, 3), (1, 1), (2, 1), (0, 2)])
async def test_of_what_does_not_follow_nothing_is_appended(log: AnyLog, versions: tuple[int, ...]) -> None:
    with pytest.raises(VersionConflict):
        await log.append(an_append(an_event("horse:H2"), *(an_event("horse:H1", one) for one in versions)))
    assert await log.head() == 0


async def test_a_stream_may_begin_at_0_as_the_librarys_do(log: AnyLog) -> None:
    await log.append(an_append(an_event("horse:H1", 0), an_event("horse:H1", 1)))
    stretch = await log.stretch("horse:H1", after=-1)
    assert [event.originator_version for event in stretch.events] == [0, 1]


async def test_a_command_that_is_tried_again_is_no_conflict(log: AnyLog) -> None:
    for append in (an_append(), an_append(fingerprint="f")):
        first = await log.append(append)
        assert await log.append(append) == first
    assert await log.head() == 2


async def test_a_command_that_is_sent_again_has_the_outcome_that_it_had(log: AnyLog) -> None:
    """Whatever it would come to now: its id is what counts, the rest is for whoever asks."""
    event = await log.append(first := an_append(an_event("horse:H1"), fingerprint="f"))
    decided = await log.append(second := a_decision("horse:H1", 1))
    assert decided == Decided(second.decision, 1, "f")  # type: ignore[arg-type]
    await log.append(an_append(an_event("horse:H1", 2)))

    for again in (a_decision("horse:H1", 2, "not registered"), an_append(an_event(), fingerprint="other")):
        assert await log.append(replace(again, command_id=first.command_id)) == event
        assert await log.append(replace(again, command_id=second.command_id)) == decided
    assert await log.head() == 2


async def test_a_decision_counts_on_the_version_that_it_was_made_on(log: AnyLog) -> None:
    assert await log.append(unused := a_decision("horse:H1", 0)) == Decided(unused.decision, 0, "f")  # type: ignore[arg-type]
    await log.append(an_append(an_event("horse:H1")))
    for version in (0, 2):
        with pytest.raises(VersionConflict):
            await log.append(a_decision("horse:H1", version))
    assert isinstance(await log.append(a_decision("horse:H1", 1)), Decided)


async def test_a_large_event_beside_small_ones_is_appended_whole(log: AnyLog) -> None:
    states = [b"x" * 2_000_000, *(b"y" * 1000 for _ in range(300))]
    await asyncio.gather(*(log.append(an_append(an_event(state=state))) for state in states))

    stored = await log.after(0, limit=1000)
    assert sorted(len(event.state) for event in stored) == [1000] * 300 + [2_000_000]


async def test_a_stretch_follows_a_version_and_says_whether_others_follow_it(log: AnyLog) -> None:
    events = await fill(log, *[2] * (STRETCH_EVENTS + 2))
    first = await log.stretch("horse:H1")
    assert (first.before, first.is_last) == (None, False)
    assert first.events == events[:STRETCH_EVENTS]
    last = await log.stretch("horse:H1", after=STRETCH_EVENTS)
    assert (last.before, last.events, last.is_last) == (first.events[-1].place, events[-2:], True)
    end = await log.stretch("horse:H1", after=len(events))
    assert (end.before, end.events, end.is_last) == (events[-1].place, [], True)
    for stream, after in (("horse:H1", len(events) + 1), ("horse:H2", 0), ("horse:H2", 7)):
        beyond = await log.stretch(stream, after=after)
        assert (beyond.before, beyond.events, beyond.is_last) == (None, [], True)


async def test_a_stretch_holds_so_many_bytes_but_a_single_larger_event(log: AnyLog) -> None:
    events = await fill(log, STRETCH_BYTES - 1, 1, 1, 2 * STRETCH_BYTES, 1)
    for after, count in ((0, 2), (1, 3), (2, 2), (3, 1), (4, 1)):
        stretch = await log.stretch("horse:H1", after=after)
        assert stretch.events == events[after : after + count]
        assert stretch.is_last == (after + count == len(events))


async def test_the_latest_are_the_last_up_to_a_version_within_a_bound(log: AnyLog) -> None:
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


async def test_a_snapshot_is_the_newest_state_up_to_a_version(
    log: AnyLog, request: pytest.FixtureRequest
) -> None:
    events = await fill(log, 1, 1, 1, 1)
    known = [Snapshot(replace(events[at].place, size=None), {"id": "H1", "at": at}) for at in (0, 2)]
    if isinstance(log, LogInMemory):
        log.snapshots["horse", "H1"] = known
    else:
        with psycopg.connect(request.getfixturevalue("database").owner) as connection:
            for one in known:
                connection.execute(
                    "INSERT INTO read.revisions (position, entity, entity_id, version, type, moment, changes,"
                    " state, public_event) VALUES (%s, 'horse', 'H1', %s, %s, %s, '[]', %s, '{}')",
                    [
                        one.place.position,
                        one.place.version,
                        one.place.topic,
                        one.place.moment,
                        Json(one.named),
                    ],
                )
    assert await log.snapshot("horse", "H1") == known[1]
    assert await log.snapshot("horse", "H1", up_to=2) == known[0]
    assert await log.snapshot("horse", "H1", up_to=0) is None
    assert await log.snapshot("horse", "H2") is None


async def test_a_log_keeps_its_name(log: AnyLog) -> None:
    name = await log.log_id()
    assert len(name) == 32
    log.forget_id()
    assert await log.log_id() == name
    assert log.clock_jumped is None


def any_append(source: random.Random, ids: list[uuid.UUID]) -> Append:
    """Such as a handler might append, or might not: few streams and ids, so that much meets."""

    def place() -> tuple[str, int]:
        return f"horse:{source.randrange(3)}", source.choice([0, 1, 1, 2, 3, 4, 5, 6, 7])

    fingerprint = source.choice([None, "f", "g"])
    if fingerprint and source.random() < 0.4:
        decision = Decision(*place(), source.choice(["nothing to do", "not registered"]))
        return Append(source.choice(ids), decision=decision, fingerprint=fingerprint)
    states = (b"x" * source.randrange(9) for _ in range(source.choice([1, 1, 1, 2, 3])))
    events = tuple(an_event(*place(), state=state) for state in states)
    return Append(source.choice(ids) if fingerprint else uuid.uuid4(), events, fingerprint=fingerprint)


async def answer_of(asked: Callable[[], Awaitable[Any]]) -> Any:
    """What a log answers, but for the moments, which are the log's own."""
    try:
        found = await asked()
    except VersionConflict:
        return "conflict"
    match found:
        case Appended(events):
            return [replace(event, moment=None) for event in events]  # type: ignore[arg-type]
        case list() as events:
            return [replace(event, moment=None) for event in events]
    return found


@pytest.mark.integration
async def test_both_answer_alike_whatever_they_are_asked(database: Database) -> None:
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
        assert met == {list, Decided, str}
        for stream in ("horse:0", "horse:1", "horse:2"):
            for after in range(-1, 9):
                theirs, ours = [await log.stretch(stream, after=after) for log in (real, memory)]
                assert (ours.is_last, len(ours.events)) == (theirs.is_last, len(theirs.events))
                assert (ours.before is None) == (theirs.before is None)
                latest = [
                    await answer_of(lambda: log.latest(stream, after=after, up_to=6, limit=3))  # noqa: B023
                    for log in (real, memory)
                ]
                assert latest[0] == latest[1]
        assert await real.head() == await memory.head()
