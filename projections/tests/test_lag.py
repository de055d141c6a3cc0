"""The lag is measured by the observer's clock; event times do not affect it."""

import pytest

from projections.progress.lag import Lag


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_lag_is_the_age_of_the_oldest_unhandled_event() -> None:
    clock = Clock()
    lag = Lag(clock)
    reported = []
    # position, head, at each second
    for position, head in [(0, 0), (0, 2), (0, 5), (1, 5), (2, 5), (4, 6), (5, 6), (6, 6), (6, 7), (7, 7)]:
        reported.append(lag.seconds(position=position, head=head))
        clock.seconds += 1
    assert reported == [0, 0, 1, 2, 2, 3, 1, 0, 0, 0]


def test_constant_small_backlog_has_a_constant_lag() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 3_000):
        assert lag.seconds(position=head - 3, head=head) <= 2
        clock.seconds += 1


def test_lag_of_a_long_backlog_is_exact_with_bounded_memory() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 5_000):
        assert lag.seconds(position=0, head=head) == head - 1
        clock.seconds += 1
    assert len(lag._observations) <= 1_001
    assert lag.seconds(position=4_998, head=4_999) == pytest.approx(1)
    assert lag.seconds(position=4_999, head=4_999) == 0


def test_lag_restarts_with_another_log() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.seconds(position=0, head=10)
    clock.seconds += 60
    assert lag.seconds(position=0, head=4) == 0
