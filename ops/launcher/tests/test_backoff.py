"""When a program that ended is started again."""

from hypothesis import given
from hypothesis import strategies as st

from ops.launcher.processes.backoff import LONGEST_SECONDS, PROVEN_SECONDS, SHORT_LIVES, Backoff

lives = st.none() | st.floats(0, 10 * PROVEN_SECONDS)
START_SECONDS = 1.0


def test_what_ran_well_is_started_at_once_however_often() -> None:
    backoff = Backoff()
    assert {backoff.seconds_after(ready_seconds=PROVEN_SECONDS) for _ in range(100)} == {0.0}


def test_a_few_short_lives_are_forgiven_and_then_it_goes_ever_more_slowly() -> None:
    backoff = Backoff()
    waits = [backoff.seconds_after(ready_seconds=1.0) for _ in range(SHORT_LIVES + 8)]
    assert waits == [0.0] * SHORT_LIVES + [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_what_does_not_even_start_is_not_forgiven() -> None:
    backoff = Backoff()
    assert [backoff.seconds_after(ready_seconds=None) for _ in range(3)] == [0.2, 0.4, 0.8]


@given(st.lists(lives))
def test_what_ran_well_before_makes_all_good(past: list[float | None]) -> None:
    backoff = Backoff()
    for life in past:
        assert 0 <= backoff.seconds_after(ready_seconds=life) <= LONGEST_SECONDS
    assert backoff.seconds_after(ready_seconds=PROVEN_SECONDS) == 0.0
    assert backoff.seconds_after(ready_seconds=0.1) == 0.0


@given(st.lists(st.none() | st.floats(0, PROVEN_SECONDS, exclude_max=True), min_size=40, max_size=60))
def test_a_crash_loop_does_not_burn_the_processor(crashes: list[float | None]) -> None:
    backoff = Backoff()
    waits = sum(backoff.seconds_after(ready_seconds=life) for life in crashes)
    assert len(crashes) * START_SECONDS < waits / 3
