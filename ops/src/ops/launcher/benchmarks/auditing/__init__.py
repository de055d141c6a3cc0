"""What auditors ask, measured on a short log and on a long one: it should make no difference."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ops.launcher.benchmarks.auditing.fleet import SEAL_SECONDS, LongFleet
from ops.launcher.benchmarks.auditing.queries import Query, queries
from ops.launcher.benchmarks.auditing.streams import measure_export, measure_verification
from ops.launcher.benchmarks.instance import instance_of_our_own
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.measuring import Row, measure
from ops.launcher.benchmarks.report import Step

_SEALING_AT_ONCE = {"FLEETLOG_SEAL_SECONDS": str(SEAL_SECONDS)}


@dataclass(frozen=True)
class Sizes:
    """How much there is to look through.

    Attributes:
        events: how many the log has, of one measurement after another.
        entities: how many a list of the past has.
        deep: how many events one of them has.
    """

    events: Sequence[int] = (10_000, 1_000_000)
    entities: int = 1_000
    deep: int = 1_000


def run(sizes: Sizes, *, seconds: float, rounds: int, step: Step) -> list[Row]:
    """Measure on an instance of its own, and return what was found; names end with the log's length.

    Args:
        sizes: how much there is.
        seconds: how long each measurement takes.
        rounds: how often subject and floor take turns.
        step: shows progress.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    rows: list[Row] = []
    step("starting an instance for auditors", 0, 1)
    with instance_of_our_own(_SEALING_AT_ONCE) as instance, LoadGenerator() as generator:
        fleet = LongFleet(instance, entities=sizes.entities, deep=sizes.deep)
        for events in sizes.events:
            fleet.grow(events, step)
            for query in queries(instance, generator, fleet):
                rows += _ask(query, seconds, rounds, step)
            step("export", 0, 1)
            rows.append(measure_export(instance))
            fleet.wait_until_sealed(lambda done, total: step("waiting for its seals", done, total))
            step("verify", 0, 1)
            rows.append(measure_verification(instance, fleet.events))
            rows[:] = [row if row.name[-1].isdigit() else _named(row, events) for row in rows]
    return rows


def _ask(query: Query, seconds: float, rounds: int, step: Step) -> list[Row]:
    turns = rounds * len(query.connections)
    done = itertools.count(1)
    step(query.comparison.name, 0, turns)
    return [
        measure(
            query.comparison,
            connections=connections,
            seconds=seconds,
            rounds=rounds,
            on_round=lambda: step(query.comparison.name, next(done), turns),
        )
        for connections in query.connections
    ]


def _named(row: Row, events: int) -> Row:
    return replace(row, name=f"{row.name}-{events}")
