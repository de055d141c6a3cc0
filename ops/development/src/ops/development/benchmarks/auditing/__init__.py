"""What auditors ask, measured on a short log and on a long one: it should make no difference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ops.development.benchmarks.auditing.fleet import SEAL_SECONDS, LongFleet, queries
from ops.development.benchmarks.auditing.streams import measure_export, measure_verification
from ops.development.benchmarks.comparisons import Catalogue
from ops.development.benchmarks.instance import instance_of_our_own
from ops.development.benchmarks.measuring import Row, Step, measure
from ops.development.benchmarks.subjects import LoadGenerator

_SEALING_AT_ONCE: Final = {"FLEETLOG_SEAL_SECONDS": str(SEAL_SECONDS)}


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


def run(sizes: Sizes, step: Step, *, seconds: float, rounds: int) -> list[Row]:
    """Measure on an instance of its own, and return what was found; names end with the log's length.

    Args:
        sizes: how much there is.
        step: shows progress.
        seconds: how long each measurement takes.
        rounds: how often subject and floor take turns.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    rows: list[Row] = []
    step("starting an instance for auditors")
    with instance_of_our_own(_SEALING_AT_ONCE) as instance, LoadGenerator() as generator:
        fleet = LongFleet(instance, entities=sizes.entities, deep=sizes.deep)
        catalogue = Catalogue(instance, generator, short_list=sizes.entities, long_list=0)
        for events in sizes.events:
            fleet.grow(events, step)
            found: list[Row] = []
            for comparison, connections in queries(instance, catalogue, fleet):
                found += measure(comparison, step, seconds=seconds, rounds=rounds, on=connections)
            step("export")
            found.append(measure_export(instance))
            fleet.wait_until_sealed(step)
            step("verify")
            found.append(measure_verification(instance))
            rows += [replace(row, name=f"{row.name}-{events}") for row in found]
    return rows
