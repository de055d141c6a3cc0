"""Waiting for a position of the log, up to its head, for at most two seconds."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import DRIVERS

from ops.base.http.consistency import LogPosition
from ops.testing.conditions import PATIENCE_SECONDS, wait_until
from ops.testing.metrics import sample
from query_api.freshness.notifications import Notifications, PolledPosition
from query_api.freshness.read_your_writes import Freshness, ProjectionProgress

positions = st.integers(min_value=0, max_value=5)
WRITTEN = [LogPosition("log", 1)]


class Script:
    """A projection that advances at each poll, up to the last progress."""

    def __init__(self, *progresses: ProjectionProgress) -> None:
        self.progresses = list(progresses)
        self.looks = 0

    async def look(self, projection: str) -> ProjectionProgress:
        assert projection == "drivers"
        self.looks += 1
        return self.progresses.pop(0) if len(self.progresses) > 1 else self.progresses[0]


def polling(
    script: Script, notified: Notifications | None = None, *, patience_seconds: float = PATIENCE_SECONDS
) -> Freshness:
    return Freshness(
        script.look, notified or Notifications(), patience_seconds=patience_seconds, poll_seconds=0.001
    )


def impatient(script: Script) -> Freshness:
    return polling(script, patience_seconds=0.02)


@settings(deadline=None)
@given(
    wanted=st.integers(min_value=0, max_value=10),
    head=positions,
    reached=st.lists(positions, min_size=1, max_size=4),
)
async def test_wait_reports_whether_a_write_was_reached(wanted: int, head: int, reached: list[int]) -> None:
    script = Script(*(ProjectionProgress("log", head, min(position, head)) for position in reached))
    last = min(reached[-1], head)
    comes = wanted > head or wanted <= max(last, *(min(position, head) for position in reached))
    freshness = polling(script, patience_seconds=PATIENCE_SECONDS) if comes else impatient(script)
    assert await freshness.wait("drivers", [LogPosition("log", wanted)]) == comes
    if wanted > head:
        assert script.looks == 1  # ignored, so not waited for


async def test_commit_wakes_a_waiting_query_before_the_next_poll() -> None:
    notified = Notifications()
    script = Script(ProjectionProgress("log", 1, 0), ProjectionProgress("log", 1, 1))
    freshness = Freshness(script.look, notified, patience_seconds=60, poll_seconds=60)
    waiting = asyncio.create_task(freshness.wait("drivers", WRITTEN))
    await wait_until(lambda: script.looks == 1)  # the query waits
    notified.notify("horses,trailers:0-1:")
    await asyncio.sleep(0.01)
    assert (script.looks, waiting.done()) == (1, False)
    notified.notify("horses,drivers:0-1:driver:1")
    assert await asyncio.wait_for(waiting, timeout=60)


async def test_commit_between_poll_and_wait_is_not_missed() -> None:
    notified = Notifications()
    script = Script(ProjectionProgress("log", 1, 0), ProjectionProgress("log", 1, 1))

    async def look(projection: str) -> ProjectionProgress:
        progress = await script.look(projection)
        notified.notify("drivers:0-1:driver:1")
        return progress

    freshness = Freshness(look, notified, patience_seconds=60, poll_seconds=60)
    assert await asyncio.wait_for(freshness.wait("drivers", WRITTEN), timeout=60)


async def test_reconnected_listener_wakes_all_queries() -> None:
    notified = Notifications()
    events = [notified.next_commit("drivers"), notified.next_commit("horses")]
    notified.notify("")
    assert all(event.is_set() for event in events)


async def test_waits_are_timed_and_timeouts_are_counted() -> None:
    waits, stale = "fleetlog_read_your_writes_wait_seconds_count", "fleetlog_read_your_writes_timeouts_total"
    before = sample(waits), sample(stale)
    assert await impatient(Script(ProjectionProgress("log", 1, 1))).wait("drivers", WRITTEN)
    assert not await impatient(Script(ProjectionProgress("log", 1, 0))).wait("drivers", WRITTEN)
    assert (sample(waits), sample(stale)) == (before[0] + 2, before[1] + 1)


async def test_notified_position_needs_no_poll() -> None:
    notified, script = Notifications(lease_seconds=600), Script(ProjectionProgress("log", 2, 1))
    freshness = Freshness(script.look, notified, patience_seconds=60, poll_seconds=60)
    notified.begin_poll()([PolledPosition("log", "drivers", 1, 1, 0)])
    assert await freshness.wait("drivers", WRITTEN)
    waiting = asyncio.create_task(freshness.wait("drivers", [LogPosition("log", 2)]))
    await asyncio.sleep(0)
    notified.notify("drivers:1-2:driver:1")
    assert await asyncio.wait_for(waiting, timeout=60)
    assert script.looks == 0
    assert await freshness.wait("drivers", [*WRITTEN, LogPosition("other", 1)])
    assert script.looks == 1  # which may have replaced the log


async def test_position_found_by_a_poll_invalidates_memory_until_notified() -> None:
    notified, script = Notifications(lease_seconds=600), Script(ProjectionProgress("log", 2, 2))
    notified.begin_poll()([PolledPosition("log", "drivers", 1, 1, 0)])
    unchanged = notified.watch(DRIVERS)
    assert unchanged is not None
    assert await polling(script, notified).wait("drivers", [LogPosition("log", 2)])
    assert (script.looks, unchanged.is_current) == (1, False)
