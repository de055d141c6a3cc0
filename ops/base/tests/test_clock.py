"""A clock that ignores jumps."""

from datetime import UTC, datetime, timedelta

from ops.base.clock import SteadyClock

BEGIN = datetime(2026, 11, 22, 4, tzinfo=UTC)


class Times:
    """The system's clock and the elapsed time."""

    def __init__(self) -> None:
        self.wall, self.passed = BEGIN.timestamp(), 1000.0
        self.clock = SteadyClock(lambda: self.wall, lambda: self.passed)

    def pass_by(self, seconds: float, *, output: float | None = None) -> None:
        self.passed += seconds
        self.wall += seconds if output is None else output

    def off(self) -> float:
        return abs(self.clock.now().timestamp() - self.wall)


def test_clock_ignores_jumps() -> None:
    for jump in (timedelta(days=3650), -timedelta(days=3650), timedelta(minutes=6)):
        times = Times()
        times.pass_by(60)
        times.pass_by(1, output=jump.total_seconds())
        assert abs(times.clock.now() - (BEGIN + timedelta(seconds=61))) < timedelta(seconds=1)


def test_clock_follows_a_slightly_wrong_system_clock() -> None:
    times = Times()
    for _ in range(90 * 24):
        times.pass_by(3600, output=3600.5)
        assert times.off() < 1


def test_small_clock_steps_have_little_effect() -> None:
    times = Times()
    for _ in range(24 * 60):
        times.pass_by(60, output=120)  # the system clock runs twice as fast for a day
    assert abs(times.clock.now() - BEGIN - timedelta(days=1)) < timedelta(minutes=2)
