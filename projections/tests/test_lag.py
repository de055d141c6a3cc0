"""A lag is told in positions and by the clock of who looks: no event's moment hides one, or makes one up."""

import pytest

from projections.progress.lag import Lag


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_it_measures_since_when_the_oldest_event_that_is_not_handled_is_known() -> None:
    clock = Clock()
    lag = Lag(clock)
    reported = []
    # position, head, at each second
    for position, head in [(0, 0), (0, 2), (0, 5), (1, 5), (2, 5), (4, 6), (5, 6), (6, 6), (6, 7), (7, 7)]:
        reported.append(lag.seconds(position=position, head=head))
        clock.seconds += 1
    assert reported == [0, 0, 1, 2, 2, 3, 1, 0, 0, 0]


def test_who_is_never_quite_there_but_never_far_behind_is_not_said_to_lag_for_ever() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 10_000):
        assert lag.seconds(position=head - 3, head=head) <= 2
        clock.seconds += 1


def test_the_oldest_is_remembered_however_long_it_waits_and_whatever_comes_after_it() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 20_000):
        assert lag.seconds(position=0, head=head) == head - 1
        clock.seconds += 1
    assert len(lag._looks) <= 1_001
    assert lag.seconds(position=19_998, head=19_999) == pytest.approx(1)
    assert lag.seconds(position=19_999, head=19_999) == 0


def test_another_log_begins_anew() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.seconds(position=0, head=10)
    clock.seconds += 60
    assert lag.seconds(position=0, head=4) == 0
