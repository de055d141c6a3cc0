"""`./fleetlog bench`: what the product does per second, beside what this machine gives at most."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from ops.launcher.benchmarks import auditing, feeding, growing, relaying
from ops.launcher.benchmarks.comparisons import AUDIT, FEED, GROWTH, RELAY, Aim, Catalogue, chosen
from ops.launcher.benchmarks.filling import Filling
from ops.launcher.benchmarks.instance import Instance, instance_of_our_own
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.measuring import CONNECTIONS, Row, is_met, measure
from ops.launcher.benchmarks.report import Step
from ops.launcher.benchmarks.samples import Summary
from ops.launcher.benchmarks.subjects import Rebuild

_REBUILD_AIM = Aim(rate=20_000)


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        only: names of comparisons; empty: all.
        seconds: of each measurement.
        rounds: how often subject and floor take turns.
        short_list: records of the short list.
        long_list: records of the long one.
        events: how many the log has at least when it is rebuilt from.
        relayed: how many the relay publishes.
        relay_commands: how many are waited for in Kafka.
        audited: how long a past auditors look into.
        feed: how much of the feed is measured.
    """

    only: Sequence[str] = ()
    seconds: float = 1.0
    rounds: int = 3
    short_list: int = 1_000
    long_list: int = 10_000
    events: int = 100_000
    relayed: int = 20_000
    relay_commands: int = 200
    audited: auditing.Sizes = field(default_factory=auditing.Sizes)
    feed: feeding.Sizes = field(default_factory=feeding.Sizes)


def run(plan: Plan, step: Step) -> list[Row]:
    """Measure on instances of its own, and return what was found.

    Args:
        plan: what and how much.
        step: shows progress.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    names = chosen(plan.only)
    rows = _run_usual(plan, [name for name in names if name not in {AUDIT, RELAY}], step)
    if AUDIT in names:
        rows += auditing.run(plan.audited, seconds=plan.seconds, rounds=plan.rounds, step=step)
    if RELAY in names:
        rows += relaying.run(events=plan.relayed, commands=plan.relay_commands, step=step)
    return rows


def _run_usual(plan: Plan, names: Sequence[str], step: Step) -> list[Row]:
    rows: list[Row] = []
    if not names:
        return rows
    step("starting an instance", 0, 1)
    with instance_of_our_own() as instance, LoadGenerator() as generator:
        filling = Filling(instance)
        step("filling it", 0, 1)
        filling.add_drivers(plan.long_list)
        filling.add_horses(plan.short_list)
        filling.wait_until_projected(lambda done, total: step("filling it", done, total))
        catalogue = Catalogue(instance, generator, short_list=plan.short_list, long_list=plan.long_list)
        for name in names:
            if name == "rebuild":
                rows.append(_rebuild(plan, instance, filling, step))
            elif name == GROWTH:
                _lengthen(plan, filling, step)
                rows += growing.run(
                    instance, filling, catalogue, step, seconds=plan.seconds, rounds=plan.rounds
                )
            elif name == FEED:
                _lengthen(plan, filling, step)
                step(FEED, 0, 1)
                rows += feeding.run(instance, plan.feed)
            else:
                rows += _compare(name, plan, catalogue, step)
                # What was just written is not to slow down what comes next.
                filling.wait_until_projected(lambda done, total: step("catching up", done, total))
    return rows


def _compare(name: str, plan: Plan, catalogue: Catalogue, step: Step) -> list[Row]:
    comparison = catalogue.make(name)
    turns = plan.rounds * len(CONNECTIONS)
    done = itertools.count(1)
    step(name, 0, turns)
    return [
        measure(
            comparison,
            connections=connections,
            seconds=plan.seconds,
            rounds=plan.rounds,
            on_round=lambda: step(name, next(done), turns),
        )
        for connections in CONNECTIONS
    ]


def _lengthen(plan: Plan, filling: Filling, step: Step) -> None:
    missing = plan.events - filling.events()
    if missing > 0:
        filling.change_horses(plan.short_list, times=-(-missing // plan.short_list))
    filling.wait_until_projected(lambda done, total: step("filling its log", done, total))


def _rebuild(plan: Plan, instance: Instance, filling: Filling, step: Step) -> Row:
    _lengthen(plan, filling, step)
    step("rebuild", 0, 1)
    command = instance.command("projections", "rebuild", "horses")
    events, seconds = Rebuild(command, filling.events).measure()
    summary = Summary(rate=events / seconds, p50=None, p99=None, answers=events, errors=0, missed=0)
    return Row(
        name="rebuild",
        connections=1,
        subject=summary,
        floor=None,
        floor_name="",
        ratio=None,
        aim=str(_REBUILD_AIM),
        met=is_met(_REBUILD_AIM, summary, None),
    )
