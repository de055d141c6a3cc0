"""What one measurement gave, and what several add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Self


@dataclass(frozen=True)
class Sample:
    """One measurement.

    Attributes:
        seconds: how long it took.
        latencies: of each good answer, in microseconds.
        errors: answers that were not what they must be.
        missed: reads that did not show what had been written before.
    """

    seconds: float
    latencies: list[int] = field(default_factory=list)
    errors: int = 0
    missed: int = 0

    @property
    def rate(self) -> float:
        """Good answers per second."""
        return len(self.latencies) / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Summary:
    """What is told of several samples.

    Attributes:
        rate: the median of their rates, per second.
        p50: median latency of all, in milliseconds; None where there were no answers.
        p99: of a hundred answers, one took longer, in milliseconds.
        answers: good ones.
        errors: see `Sample`.
        missed: see `Sample`.
    """

    rate: float = 0.0
    p50: float | None = None
    p99: float | None = None
    answers: int = 0
    errors: int = 0
    missed: int = 0

    @classmethod
    def at(cls, events: int, seconds: float, errors: int = 0) -> Self:
        """Tell of so many events in so much time, of which nobody knows how long each took."""
        return cls(rate=events / max(seconds, 0.001), answers=events, errors=errors)

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Self:
        """Sum samples up."""
        latencies = sorted(latency for sample in samples for latency in sample.latencies)
        return cls(
            rate=median(sample.rate for sample in samples),
            p50=_percentile(latencies, 0.50),
            p99=_percentile(latencies, 0.99),
            answers=len(latencies),
            errors=sum(sample.errors for sample in samples),
            missed=sum(sample.missed for sample in samples),
        )


@dataclass(frozen=True)
class Cost:
    """What one request costs.

    Attributes:
        name: of the request.
        connections: how many sent it at once.
        requests: how many were measured.
        errors: how many were not answered as they must be, the floor's included.
        milliseconds: processor time of one, by part.
        floor: the same of the least of answers behind the same gateway, all processes together; or of another
            instance.
        ratios: to another instance, of each pair of measurements, the least first.
    """

    name: str
    connections: int
    requests: int
    errors: int
    milliseconds: Mapping[str, float]
    floor: float
    ratios: Sequence[float] = ()

    @property
    def together(self) -> float:
        """Processor time of one, of all parts."""
        return sum(self.milliseconds.values())

    @property
    def ratio(self) -> float | None:
        """To the floor; the median where pairs were measured; None: the floor is too low to be told."""
        if self.ratios:
            return median(self.ratios)
        return self.together / self.floor if self.floor else None


def _percentile(latencies: Sequence[int], share: float) -> float | None:
    """The nearest rank, in milliseconds."""
    if not latencies:
        return None
    return latencies[min(int(share * len(latencies)), len(latencies) - 1)] / 1000
