"""Figures of the benchmark, as tables and as JSON."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Final

from ops.development.benchmarks.load import Sample

_COLUMNS: Final = ("what", "conn.", "per s", "p50 ms", "p99 ms", "floor/s", "ratio")
_COST_COLUMNS: Final = ("ms of processor time", "conn.")


@dataclass(frozen=True)
class ResultRow:
    """Figures of one measurement on a number of connections.

    Attributes:
        name: of the measurement.
        connections: number of connections.
        rate: median over the rounds, per second.
        p50: median latency in milliseconds; None: no single latencies were measured.
        p99: latency that 1 of 100 answers exceeded, in milliseconds.
        answers: number of good answers.
        errors: number of other answers, those of the floor included.
        stale: number of reads that did not show the preceding write.
        floor_rate: median rate of the floor; None: there is none.
        ratio: median over the rounds of rate to the floor's rate in the same round.
        milliseconds: processor time per request, by process.
        floor_milliseconds: processor time per request of the floor's processes.
        note: further findings.
    """

    name: str
    connections: int = 1
    rate: float = 0.0
    p50: float | None = None
    p99: float | None = None
    answers: int = 0
    errors: int = 0
    stale: int = 0
    floor_rate: float | None = None
    ratio: float | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    floor_milliseconds: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


def row_of(
    name: str, connections: int, samples: Sequence[Sample], floors: Sequence[Sample] = ()
) -> ResultRow:
    """Summarise the rounds of a measurement."""
    latencies = sorted(latency for sample in samples for latency in sample.latencies)
    ratios = [one.rate / other.rate for one, other in zip(samples, floors, strict=False) if other.rate]
    return ResultRow(
        name=name,
        connections=connections,
        rate=median(sample.rate for sample in samples),
        p50=_percentile(latencies, 0.50),
        p99=_percentile(latencies, 0.99),
        answers=len(latencies),
        errors=sum(sample.errors for sample in (*samples, *floors)),
        stale=sum(sample.stale for sample in samples),
        floor_rate=median(sample.rate for sample in floors) if floors else None,
        ratio=median(ratios) if ratios else None,
    )


def tables(rows: Sequence[ResultRow]) -> str:
    """Return the figures as text: rates, then processor time by process, then errors and notes."""
    found = [_aligned([_COLUMNS, *map(_cells, rows)])]
    costs = [row for row in rows if row.milliseconds]
    if costs:
        titles = (*_COST_COLUMNS, *costs[0].milliseconds, "total", "floor", "ratio")
        found.append(_aligned([titles, *map(_cost_cells, costs)]))
    notes = [f"{row.name}: {row.note}" for row in rows if row.note]
    faults = [
        f"{row.name} on {row.connections}: {row.errors} errors, {row.stale} stale reads"
        for row in rows
        if row.errors or row.stale
    ]
    return "\n\n".join("\n".join(lines) for lines in (*found, notes, faults) if lines)


def document(rows: Sequence[ResultRow]) -> str:
    """Return the figures and the machine they were measured on as JSON."""
    machine = {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }
    return json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n"


def _percentile(latencies: Sequence[int], share: float) -> float | None:
    """Return the nearest-rank percentile of sorted microseconds, in milliseconds."""
    if not latencies:
        return None
    return latencies[min(int(share * len(latencies)), len(latencies) - 1)] / 1000


def _cells(row: ResultRow) -> list[str]:
    figures = (row.rate, row.p50, row.p99, row.floor_rate)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return [row.name, str(row.connections), *map(_number, figures), ratio]


def _cost_cells(row: ResultRow) -> list[str]:
    total, floor = sum(row.milliseconds.values()), sum(row.floor_milliseconds.values())
    ratio = f"{total / floor:.1f}" if floor else ""
    figures = (*row.milliseconds.values(), total, floor)
    return [row.name, str(row.connections), *(f"{each:.2f}" for each in figures), ratio]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with a rule below its titles."""
    titles, *rest = [f"{first:<20}" + "".join(f"{text:>12}" for text in more) for first, *more in lines]
    return [titles, "-" * len(titles), *rest]
