"""Subject and floor in turn, several times: what disturbs a shared machine then disturbs both."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from ops.launcher.benchmarks.comparisons import Aim, Comparison
from ops.launcher.benchmarks.samples import Sample, Summary

CONNECTIONS = (1, 32)


@dataclass(frozen=True)
class Row:
    """What one comparison gave on so many connections.

    Attributes:
        name: the comparison's.
        connections: how many.
        subject: what was measured.
        floor: what it is compared with, if it is.
        floor_name: what that is.
        ratio: the median of the rounds' ratios, the subject's rate to the floor's.
        aim: what is aimed at, in words.
        met: whether it was reached; None: there is no aim here.
        note: what else was seen.
    """

    name: str
    connections: int
    subject: Summary
    floor: Summary | None
    floor_name: str
    ratio: float | None
    aim: str
    met: bool | None
    note: str = ""


def measure(
    comparison: Comparison, *, connections: int, seconds: float, rounds: int, on_round: Callable[[], None]
) -> Row:
    """Measure a comparison.

    Args:
        comparison: what.
        connections: on how many.
        seconds: how long each measurement takes.
        rounds: how often subject and floor take turns.
        on_round: called after each turn.
    """
    subjects: list[Sample] = []
    floors: list[Sample] = []
    for _ in range(rounds):
        if comparison.floor is not None:
            floors.append(comparison.floor.measure(connections, seconds))
        subjects.append(comparison.subject.measure(connections, seconds))
        on_round()
    subject = Summary.of(subjects)
    ratios = [one.rate / other.rate for one, other in zip(subjects, floors, strict=False) if other.rate]
    ratio = median(ratios) if ratios else None
    aim = comparison.aim
    if aim is not None and aim.connections not in {None, connections}:
        aim = None
    return Row(
        name=comparison.name,
        connections=connections,
        subject=subject,
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
