"""Tests of every implementation of `Log`, to derive with a fixture for the log."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import pytest
from eventsourcing.persistence import StoredEvent

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
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog

AnyLog = WholeLog | LogInMemory
KeepSnapshots = Callable[[Sequence[Snapshot]], None]


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


class LogContract:
    """Needs the fixtures `log`, an empty log, and `keep_snapshots`, which adds snapshots of the horse H1."""

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

    async def test_stream_may_begin_at_version_0(self, log: AnyLog) -> None:
        await log.append(an_append(an_event("horse:H1", 0), an_event("horse:H1", 1)))
        page = await log.page("horse:H1", after=-1)
        assert [event.originator_version for event in page.events] == [0, 1]

    async def test_retried_append_is_no_conflict(self, log: AnyLog) -> None:
        for append in (an_append(), an_append(fingerprint="f")):
            first = await log.append(append)
            assert await log.append(append) == first
        assert await log.head() == 2

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

    async def test_snapshot_is_the_newest_up_to_a_version(
        self, log: AnyLog, keep_snapshots: KeepSnapshots
    ) -> None:
        events = await fill(log, 1, 1, 1, 1)
        known = [Snapshot(events[at].reference._replace(size=None), {"id": "H1", "at": at}) for at in (0, 2)]
        keep_snapshots(known)
        assert await log.snapshot("horse", "H1") == known[1]
        assert await log.snapshot("horse", "H1", up_to=2) == known[0]
        assert await log.snapshot("horse", "H1", up_to=0) is None
        assert await log.snapshot("horse", "H2") is None

    async def test_log_id_is_stable(self, log: AnyLog) -> None:
        name = await log.log_id()
        assert len(name) == 32
        log.forget_id()
        assert await log.log_id() == name
        assert log.clock_jumped is None
