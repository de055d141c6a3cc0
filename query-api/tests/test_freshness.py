"""The rule for waiting: for a position of this log, up to its head, for two seconds at most."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import DRIVERS

from ops.base.http.consistency import LogPosition
from ops.testing.metrics import sample
from ops.testing.waiting import PATIENCE_SECONDS, wait_until
from query_api.freshness.notified import Notified, TablePosition
from query_api.freshness.waiting import Freshness, ProjectionProgress

positions = st.integers(min_value=0, max_value=5)
WRITTEN = [LogPosition("log", 1)]


class Script:
    """A projection that moves on each time somebody looks; the last progress stays."""

    def __init__(self, *progresses: ProjectionProgress) -> None:
        self.progresses = list(progresses)
        self.looks = 0

    async def look(self, projection: str) -> ProjectionProgress:
        assert projection == "drivers"
        self.looks += 1
        return self.progresses.pop(0) if len(self.progresses) > 1 else self.progresses[0]


def polling(
    script: Script, notified: Notified | None = None, *, patience_seconds: float = PATIENCE_SECONDS
) -> Freshness:
    return Freshness(
        script.look, notified or Notified(), patience_seconds=patience_seconds, poll_seconds=0.001
    )


def impatient(script: Script) -> Freshness:
    return polling(script, patience_seconds=0.02)


@settings(deadline=None)
@given(
    wanted=st.integers(min_value=0, max_value=10),
    head=positions,
    reached=st.lists(positions, min_size=1, max_size=4),
)
async def test_what_a_client_wrote_is_either_reached_or_reported_missing(
    wanted: int, head: int, reached: list[int]
) -> None:
    script = Script(*(ProjectionProgress("log", head, min(position, head)) for position in reached))
    last = min(reached[-1], head)
    comes = wanted > head or wanted <= max(last, *(min(position, head) for position in reached))
    freshness = polling(script, patience_seconds=PATIENCE_SECONDS) if comes else impatient(script)
    assert await freshness.wait("drivers", [LogPosition("log", wanted)]) == comes
    if wanted > head:
        assert script.looks == 1  # ignored, so not waited for


async def test_a_position_of_another_log_is_not_waited_for() -> None:
    script = Script(ProjectionProgress("this", 9, 0))
    assert await impatient(script).wait("drivers", [LogPosition("that", 5)])
    assert script.looks == 1


async def test_a_commit_wakes_who_waits_for_it_without_waiting_for_the_next_look() -> None:
    notified = Notified()
    script = Script(ProjectionProgress("log", 1, 0), ProjectionProgress("log", 1, 1))
    freshness = Freshness(script.look, notified, patience_seconds=60, poll_seconds=60)
    waiting = asyncio.create_task(freshness.wait("drivers", WRITTEN))
    await wait_until(lambda: script.looks == 1)  # then it waits
    notified.notify("horses,trailers:0-1:")
    await asyncio.sleep(0.01)
    assert (script.looks, waiting.done()) == (1, False)
    notified.notify("horses,drivers:0-1:driver:1")
    assert await asyncio.wait_for(waiting, timeout=60)


async def test_a_commit_between_looking_and_waiting_is_not_missed() -> None:
    notified = Notified()
    script = Script(ProjectionProgress("log", 1, 0), ProjectionProgress("log", 1, 1))

    async def look(projection: str) -> ProjectionProgress:
        progress = await script.look(projection)
        notified.notify("drivers:0-1:driver:1")
        return progress

    freshness = Freshness(look, notified, patience_seconds=60, poll_seconds=60)
    assert await asyncio.wait_for(freshness.wait("drivers", WRITTEN), timeout=60)


async def test_a_listener_that_was_away_wakes_everybody() -> None:
    notified = Notified()
    events = [notified.next("drivers"), notified.next("horses")]
    notified.notify("")
    assert all(event.is_set() for event in events)


async def test_waits_are_timed_and_those_in_vain_are_counted() -> None:
    waits, stale = "fleetlog_read_your_writes_wait_seconds_count", "fleetlog_read_your_writes_timeouts_total"
    before = sample(waits), sample(stale)
    assert await impatient(Script(ProjectionProgress("log", 1, 1))).wait("drivers", WRITTEN)
    assert not await impatient(Script(ProjectionProgress("log", 1, 0))).wait("drivers", WRITTEN)
    assert (sample(waits), sample(stale)) == (before[0] + 2, before[1] + 1)


async def test_what_was_notified_is_there_without_a_look() -> None:
    notified, script = Notified(lease_seconds=600), Script(ProjectionProgress("log", 2, 1))
    freshness = Freshness(script.look, notified, patience_seconds=60, poll_seconds=60)
    notified.look()([TablePosition("log", "drivers", 1, 1, 0)])
    assert await freshness.wait("drivers", WRITTEN)
    waiting = asyncio.create_task(freshness.wait("drivers", [LogPosition("log", 2)]))
    await asyncio.sleep(0)
    notified.notify("drivers:1-2:driver:1")
    assert await asyncio.wait_for(waiting, timeout=60)
    assert script.looks == 0
    assert await freshness.wait("drivers", [*WRITTEN, LogPosition("other", 1)])
    assert script.looks == 1  # for that may be the log by now


async def test_what_is_not_notified_is_looked_for_and_not_answered_from_memory_until_it_is() -> None:
    notified, script = Notified(lease_seconds=600), Script(ProjectionProgress("log", 2, 2))
    notified.look()([TablePosition("log", "drivers", 1, 1, 0)])
    unchanged = notified.watch(DRIVERS)
    assert unchanged is not None
    assert await polling(script, notified).wait("drivers", [LogPosition("log", 2)])
    assert (script.looks, unchanged.holds) == (1, False)
