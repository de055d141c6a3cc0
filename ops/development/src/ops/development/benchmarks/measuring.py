"""Subject and floor in turn, several times: what disturbs a shared machine then disturbs both."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Protocol, Self

from ops.development.benchmarks.samples import Sample, Summary
from ops.development.benchmarks.subjects import Subject

CONNECTIONS: Final = (1, 32)


class Step(Protocol):
    """Shows progress."""

    def __call__(self, what: str, done: int = 0, total: int = 1) -> None:
        """Show what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Aim:
    """What is aimed at; nothing fails where it is missed.

    Attributes:
        ratio: at least so many times the floor's rate.
        p99: at most so many milliseconds.
        rate: at least so many per second.
        no_missed: every read shows what was written before.
        connections: on how many it holds; None: on all.
    """

    ratio: float | None = None
    p99: float | None = None
    rate: float | None = None
    no_missed: bool = False
    connections: int | None = None

    def __str__(self) -> str:
        parts = [
            *([f"{self.ratio:g} x floor"] if self.ratio is not None else []),
            *([f"p99 < {self.p99:g} ms"] if self.p99 is not None else []),
            *([f"{self.rate:,.0f}/s"] if self.rate is not None else []),
            *(["none missed"] if self.no_missed else []),
        ]
        return ", ".join(parts)


@dataclass(frozen=True)
class Comparison:
    """A subject, beside a floor where there is one.

    Attributes:
        name: as `--only` takes it.
        subject: what is measured.
        floor: what the same machine gives at most; None: there is nothing to compare with.
        floor_name: what that is.
        aim: what is aimed at.
    """

    name: str
    subject: Subject
    floor: Subject | None = None
    floor_name: str = ""
    aim: Aim | None = None


@dataclass(frozen=True)
class Row:
    """What one comparison gave on so many connections.

    Attributes:
        name: the comparison's.
        subject: what was measured.
        connections: how many.
        floor: what it is compared with, if it is.
        floor_name: what that is.
        ratio: the median of the rounds' ratios, the subject's rate to the floor's.
        aim: what is aimed at, in words.
        met: whether it was reached; None: there is no aim here.
        note: what else was seen.
    """

    name: str
    subject: Summary
    connections: int = 1
    floor: Summary | None = None
    floor_name: str = ""
    ratio: float | None = None
    aim: str = ""
    met: bool | None = None
    note: str = ""

    @classmethod
    def once(
        cls,
        name: str,
        subject: Summary,
        floor: Summary,
        floor_name: str,
        *,
        aim: Aim | None = None,
        note: str = "",
    ) -> Self:
        """Tell of what was measured once, beside a floor."""
        ratio = subject.rate / floor.rate
        met = None if aim is None else is_met(aim, subject, ratio)
        return cls(name, subject, 1, floor, floor_name, ratio, str(aim or ""), met, note)


def measure(
    comparison: Comparison, step: Step, *, seconds: float, rounds: int, on: Sequence[int] = CONNECTIONS
) -> list[Row]:
    """Measure a comparison.

    Args:
        comparison: what.
        step: shows progress.
        seconds: how long each measurement takes.
        rounds: how often subject and floor take turns.
        on: on how many connections, one after another.
    """
    turns = itertools.count(1)
    step(comparison.name, 0, rounds * len(on))
    rows = []
    for connections in on:
        subjects: list[Sample] = []
        floors: list[Sample] = []
        for _ in range(rounds):
            if comparison.floor is not None:
                floors.append(comparison.floor.measure(connections, seconds))
            subjects.append(comparison.subject.measure(connections, seconds))
            step(comparison.name, next(turns), rounds * len(on))
        rows.append(_row(comparison, connections, subjects, floors))
    return rows


def _row(
    comparison: Comparison, connections: int, subjects: Sequence[Sample], floors: Sequence[Sample]
) -> Row:
    subject = Summary.of(subjects)
    ratios = [one.rate / other.rate for one, other in zip(subjects, floors, strict=False) if other.rate]
    ratio = median(ratios) if ratios else None
    aim = comparison.aim
    if aim is not None and aim.connections not in {None, connections}:
        aim = None
    return Row(
        comparison.name,
        subject,
        connections,
        floor=Summary.of(floors) if floors else None,
        floor_name=comparison.floor_name,
        ratio=ratio,
        aim=str(aim or ""),
        met=None if aim is None else is_met(aim, subject, ratio),
    )


def is_met(aim: Aim, subject: Summary, ratio: float | None) -> bool:
    """Tell whether an aim was reached; it was not where anything went wrong."""
    return (
        not subject.errors
        and (aim.ratio is None or (ratio is not None and ratio >= aim.ratio))
        and (aim.p99 is None or (subject.p99 is not None and subject.p99 < aim.p99))
        and (aim.rate is None or subject.rate >= aim.rate)
        and not (aim.no_missed and subject.missed)
    )
