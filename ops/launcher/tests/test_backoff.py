"""Delays before the restart of a process."""

from hypothesis import given
from hypothesis import strategies as st

from ops.launcher.processes.backoff import LONGEST_SECONDS, STABLE_SECONDS, TOLERATED_CRASHES, Backoff

runs = st.none() | st.floats(0, 10 * STABLE_SECONDS)
START_SECONDS = 1.0


def test_a_few_crashes_are_tolerated_before_delays_increase() -> None:
    backoff = Backoff()
    waits = [backoff.next_delay(ready_seconds=1.0) for _ in range(TOLERATED_CRASHES + 8)]
    assert waits == [0.0] * TOLERATED_CRASHES + [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_failed_starts_are_not_tolerated() -> None:
    backoff = Backoff()
    assert [backoff.next_delay(ready_seconds=None) for _ in range(3)] == [0.2, 0.4, 0.8]


@given(st.lists(runs))
def test_a_stable_run_resets_earlier_failures(past: list[float | None]) -> None:
    backoff = Backoff()
    for run in past:
        assert 0 <= backoff.next_delay(ready_seconds=run) <= LONGEST_SECONDS
    assert backoff.next_delay(ready_seconds=STABLE_SECONDS) == 0.0
    assert backoff.next_delay(ready_seconds=0.1) == 0.0


@given(st.lists(st.none() | st.floats(0, STABLE_SECONDS, exclude_max=True), min_size=40, max_size=60))
def test_a_crash_loop_takes_little_processor_time(crashes: list[float | None]) -> None:
    backoff = Backoff()
    waits = sum(backoff.next_delay(ready_seconds=run) for run in crashes)
    assert len(crashes) * START_SECONDS < waits / 3
