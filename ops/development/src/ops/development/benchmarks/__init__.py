"""`./fleetlog bench`: what the product does per second, beside what this machine gives at most."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ops.development.benchmarks import asked, auditing, costing, feeding, growing, listing, relaying, sealed
from ops.development.benchmarks.comparisons import (
    AUDIT,
    COST,
    FEED,
    GROWTH,
    LISTS,
    REBUILD,
    RELAY,
    SEALING,
    Catalogue,
    chosen,
)
from ops.development.benchmarks.filling import Filling
from ops.development.benchmarks.instance import Instance, instance_of_our_own
from ops.development.benchmarks.measuring import Aim, Row, Step, is_met, measure
from ops.development.benchmarks.samples import Cost, Summary
from ops.development.benchmarks.subjects import LoadGenerator

_REBUILD_AIM: Final = Aim(rate=20_000)


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        only: names of comparisons; empty: all.
        seconds: of each measurement.
        rounds: how often subject and floor take turns.
        requests: names of those whose cost is measured; empty: all.
        short_list: records of the short list.
        long_list: records of the long one.
        events: how many the log has at least when it is rebuilt from.
        relayed: how many the relay publishes.
        relay_commands: how many are waited for in Kafka.
        audited: how long a past auditors look into.
        feed: how much of the feed is measured.
        drivers: how many a list has that is too long to be loaded whole.
    """

    only: Sequence[str] = ()
    seconds: float = 1.0
    rounds: int = 3
    requests: Sequence[str] = ()
    short_list: int = 1_000
    long_list: int = 10_000
    events: int = 100_000
    relayed: int = 20_000
    relay_commands: int = 200
    audited: auditing.Sizes = field(default_factory=auditing.Sizes)
    feed: feeding.Sizes = field(default_factory=feeding.Sizes)
    drivers: int = 1_000_000


def run(plan: Plan, step: Step) -> tuple[list[Cost], list[Row]]:
    """Measure on instances of its own, and return what requests cost, and how many there were.

    Args:
        plan: what and how much.
        step: shows progress.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    names = chosen(plan.only)
    costs = []
    sizes = asked.Sizes(plan.requests, plan.short_list, plan.long_list)
    if COST in names:
        seconds = plan.rounds * plan.seconds
        costs = costing.run(step, sizes, seconds=seconds)
    usual = [name for name in names if name not in {AUDIT, COST, LISTS, RELAY, SEALING}]
    rows = _run_usual(plan, usual, step) if usual else []
    if SEALING in names:
        more_costs, more_rows = sealed.run(
            step, sizes, events=plan.events, rounds=plan.rounds, seconds=plan.seconds
        )
        costs, rows = costs + more_costs, rows + more_rows
    if AUDIT in names:
        rows += auditing.run(plan.audited, step, seconds=plan.seconds, rounds=plan.rounds)
    if LISTS in names:
        rows += listing.run(step, drivers=plan.drivers)
    if RELAY in names:
        rows += relaying.run(step, events=plan.relayed, commands=plan.relay_commands)
    return costs, rows


def _run_usual(plan: Plan, names: Sequence[str], step: Step) -> list[Row]:
    rows: list[Row] = []
    step("starting an instance")
    with instance_of_our_own() as instance, LoadGenerator() as generator:
        filling = Filling(instance)
        step("filling it")
        filling.add("driver", plan.long_list)
        filling.add("horse", plan.short_list)
        filling.wait_until_projected("filling it", step)
        catalogue = Catalogue(instance, generator, short_list=plan.short_list, long_list=plan.long_list)
        for name in names:
            if name in {REBUILD, GROWTH, FEED}:
                missing = plan.events - instance.events
                if missing > 0:
                    filling.change("horse", plan.short_list, times=-(-missing // plan.short_list))
                filling.wait_until_projected("filling its log", step)
                step(name)
            if name == REBUILD:
                rows.append(_rebuild(instance))
            elif name == GROWTH:
                rows += growing.run(
                    instance, filling, catalogue, step, seconds=plan.seconds, rounds=plan.rounds
                )
            elif name == FEED:
                rows += feeding.run(instance, plan.feed)
            else:
                rows += measure(catalogue.make(name), step, seconds=plan.seconds, rounds=plan.rounds)
                # What was just written is not to slow down what comes next.
                filling.wait_until_projected("catching up", step)
    return rows


def _rebuild(instance: Instance) -> Row:
    events = instance.events
    seconds, _ = instance.run("projections", "rebuild", "horses")
    summary = Summary.at(events, seconds)
    return Row(REBUILD, summary, aim=str(_REBUILD_AIM), met=is_met(_REBUILD_AIM, summary, None))
