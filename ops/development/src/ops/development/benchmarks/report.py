"""What the user sees, and what machines read."""

import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ops.development.benchmarks.measuring import Row, Step
from ops.development.benchmarks.samples import Cost, Summary

_COLUMNS: Final = (
    "what", "conn.", "per s", "p50 ms", "p99 ms", "floor/s", "p50 ms", "p99 ms", "ratio", "aim", "met",
)  # fmt: skip
_TEXT_COLUMNS: Final = frozenset({0, 9, 10})


@contextmanager
def progress() -> Iterator[Step]:
    """Show progress on standard error: a bar on a terminal, else a line whenever something else begins."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain_progress()
        return
    with Progress(
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("")
        yield lambda what, done=0, total=1: bar.update(task, description=what, completed=done, total=total)


def _plain_progress() -> Step:
    last = ""

    def step(what: str, done: int = 0, total: int = 1) -> None:  # noqa: ARG001 - too many lines else
        nonlocal last
        if what != last:
            last = what
            print(f"fleetlog: {what}", file=sys.stderr, flush=True)

    return step


def cost_table(costs: Sequence[Cost]) -> str:
    """What requests cost, for a person."""
    parts = list(costs[0].milliseconds)
    beside = ["in the clear", "ratio", "pairs"] if costs[0].ratios else ["bare ASGI", "ratio"]
    titles = ["ms of processor time", "conn.", "requests", *parts, "together", *beside]
    errors = [f"{cost.name} on {cost.connections}: {cost.errors} errors" for cost in costs if cost.errors]
    return "\n".join([*_aligned([titles, *map(_cost_cells, costs)], {0}), *errors])


def _cost_cells(cost: Cost) -> list[str]:
    return [
        *(cost.name, str(cost.connections), f"{cost.requests:,}"),
        *(f"{each:.2f}" for each in cost.milliseconds.values()),
        *(f"{cost.together:.2f}", f"{cost.floor:.2f}"),
        "" if cost.ratio is None else f"{cost.ratio:.{2 if cost.ratios else 1}f}",
        *([f"{cost.ratios[0]:.2f} … {cost.ratios[-1]:.2f}"] if cost.ratios else []),
    ]


def table(rows: Sequence[Row]) -> str:
    """The rows for a person."""
    lines = _aligned([list(_COLUMNS), *map(_cells, rows)], _TEXT_COLUMNS)
    floors = {row.floor_name: None for row in rows if row.floor_name}
    names = {floor: [row.name for row in rows if row.floor_name == floor] for floor in floors}
    notes = [f"floor of {', '.join(dict.fromkeys(names[floor]))}: {floor}" for floor in floors]
    faults = [
        f"{row.name} on {row.connections}: {row.subject.errors} errors,"
        f" {row.subject.missed} reads missed a write"
        for row in rows
        if row.subject.errors or row.subject.missed
    ]
    seen = [f"{row.name}: {row.note}" for row in rows if row.note]
    return "\n".join([*lines, "", *notes, *seen, *faults])


def _aligned(cells: list[list[str]], texts: Set[int]) -> list[str]:
    """Align a table's cells, the first line of which are titles; columns of texts begin at their left."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    return [
        "  ".join(
            text.ljust(width) if column in texts else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def _cells(row: Row) -> list[str]:
    return [
        row.name,
        str(row.connections),
        *_figures(row.subject),
        *(_figures(row.floor) if row.floor else [""] * 3),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        row.aim,
        {None: "", True: "yes", False: "no"}[row.met],
    ]


def _figures(summary: Summary) -> list[str]:
    return [_number(value) for value in (summary.rate, summary.p50, summary.p99)]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def document(costs: Sequence[Cost], rows: Sequence[Row]) -> str:
    """What was found, for a machine, as JSON, with what it was measured on."""
    machine = {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }
    found = {"costs": [asdict(cost) for cost in costs], "rows": [asdict(row) for row in rows]}
    return json.dumps({"machine": machine, **found}, indent=2) + "\n"
