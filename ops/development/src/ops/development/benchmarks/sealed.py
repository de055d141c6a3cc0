"""What sealing costs: two instances in one run, one that seals and one that is told not to, in turn."""

import itertools
import os
import resource
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from statistics import median
from typing import Final, NamedTuple

import psycopg

from ops.base.sealing.stores import NOTHING_SEALED
from ops.development.benchmarks.asked import Asked, Sizes, filled_instance
from ops.development.benchmarks.comparisons import SEALING
from ops.development.benchmarks.costing import Measured, seconds_of, spent_by
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.measuring import CONNECTIONS, Row, Step
from ops.development.benchmarks.samples import Cost, Summary
from ops.development.benchmarks.subjects import LoadGenerator

REBUILT: Final = ("drivers", "revisions")
_LEFT_OUT: Final = ("read one: 304", "list of 1,000", "list of 1,000: 304", "list of 10,000: 304")
"""Of what is asked: what opens nothing, and what is asked of a longer list as well."""
_IN_THE_CLEAR: Final = "the same in the clear"
_SETTLED: Final = "SELECT count(*) FROM read.searches WHERE projection = 'drivers' AND is_settled"


class _Work(NamedTuple):
    """What something came to that was not asked for by requests."""

    seconds: float
    busy: float
    """Processor seconds."""


def run(
    step: Step, sizes: Sizes, *, events: int, rounds: int, seconds: float
) -> tuple[list[Cost], list[Row]]:
    """Measure two instances in turn, each through its gateway; both are there all the time.

    Args:
        step: shows progress.
        sizes: how much there is.
        events: how many the logs have at least when they are rebuilt from, most of them of drivers.
        rounds: pairs of measurements of each.
        seconds: of each measurement of requests.

    Returns:
        What requests cost, and of all that was measured the rates.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    with ExitStack() as stack:
        generator = stack.enter_context(LoadGenerator())
        sealed, clear = (
            stack.enter_context(filled_instance(step, sizes, environment))
            for environment in ({}, {"FLEETLOG_KEYS": NOTHING_SEALED})
        )
        costs, rows = _requests(step, sealed, clear, generator, rounds=rounds, seconds=seconds)
        for side in (sealed, clear):
            missing = max(0, events - side.instance.events)
            side.filling.add("driver", missing, first=sizes.long_list)
        for side in (sealed, clear):
            side.filling.wait_until_projected("filling their logs", step)
        rows += [_rebuild(step, rounds, name, sealed, clear) for name in REBUILT]
        rows.append(_refill(step, rounds, sealed, clear))
    return costs, rows


def _requests(
    step: Step, sealed: Asked, clear: Asked, generator: LoadGenerator, *, rounds: int, seconds: float
) -> tuple[list[Cost], list[Row]]:
    names = [name for name in sealed.requests if name not in _LEFT_OUT]

    def measure(side: Asked, name: str, connections: int, seconds: float = seconds) -> Measured:
        job = side.requests[name].model_copy(update={"connections": connections, "seconds": seconds})
        return spent_by(side, job, generator, step)

    for name, side in itertools.product(names, (sealed, clear)):  # what comes first would pay for all
        step("warming up")
        measure(side, name, CONNECTIONS[-1], seconds / 2)
    costs, rows = [], []
    for done, (name, connections) in enumerate(itertools.product(names, CONNECTIONS)):
        step(f"{SEALING}: {name}", done, len(names) * len(CONNECTIONS))
        pairs = [tuple(measure(side, name, connections) for side in (sealed, clear)) for _ in range(rounds)]
        subjects, floors = ([pair[number] for pair in pairs] for number in (0, 1))
        least = min(subjects, key=lambda one: one.together)
        ratios = [subject.together / floor.together for subject, floor in pairs if floor.together]
        summaries = [Summary.of([one.sample for one in found]) for found in (subjects, floors)]
        errors = sum(summary.errors for summary in summaries)
        floor = min(one.together for one in floors)
        answers = summaries[0].answers
        costs.append(Cost(name, connections, answers, errors, least.milliseconds, floor, sorted(ratios)))
        rates = [one.sample.rate / other.sample.rate for one, other in pairs if other.sample.rate]
        ratio = median(rates) if rates else None
        rows.append(Row(f"{SEALING}: {name}", summaries[0], connections, summaries[1], _IN_THE_CLEAR, ratio))
    return costs, rows


def _rebuild(step: Step, rounds: int, name: str, sealed: Asked, clear: Asked) -> Row:
    def rebuild(side: Asked) -> _Work:
        postgres = side.instance.process("postgres")
        before = seconds_of(postgres) + _of_children()
        seconds, _ = side.instance.run("projections", "rebuild", name)
        return _Work(seconds, seconds_of(postgres) + _of_children() - before)

    step(f"{SEALING}: rebuild {name}")
    pairs = [(rebuild(sealed), rebuild(clear)) for _ in range(rounds)]
    return _row(f"{SEALING}-rebuild-{name}", sealed.instance.events, pairs)


def _refill(step: Step, rounds: int, sealed: Asked, clear: Asked) -> Row:
    """Kill the database as a crash does, and see how long it takes until drivers can be searched."""

    def refill(side: Asked) -> _Work:
        parts = [side.instance.process(part) for part in ("projections", "postgres")]
        before = sum(map(seconds_of, parts))
        began = time.perf_counter()
        _crash(side.instance)
        side.instance.wait("filling its search terms", lambda: _can_be_searched(side.instance), 1, step)
        return _Work(time.perf_counter() - began, sum(map(seconds_of, parts)) - before)

    step(f"{SEALING}: refill")
    rows = sealed.instance.ask("SELECT count(*) FROM read.drivers")
    return _row(f"{SEALING}-refill", rows, [(refill(sealed), refill(clear)) for _ in range(rounds)])


def _crash(instance: Instance) -> None:
    """End a session of the database as a crash would: the server ends all others then, and recovers."""
    with psycopg.connect(instance.owner_dsn) as dying, psycopg.connect(instance.owner_dsn) as other:
        os.kill(dying.info.backend_pid, signal.SIGKILL)
        with suppress(psycopg.OperationalError):
            other.execute("SELECT pg_sleep(60)")


def _can_be_searched(instance: Instance) -> int:
    try:
        return int(instance.ask(_SETTLED))
    except psycopg.OperationalError:  # it recovers
        return 0


def _row(name: str, count: int, pairs: Sequence[tuple[_Work, _Work]]) -> Row:
    subject, floor = (Summary.at(count, min(pair[side].seconds for pair in pairs)) for side in (0, 1))
    busy = [min(pair[side].busy for pair in pairs) / count * 1e6 for side in (0, 1)]
    ratios = sorted(one.busy / other.busy for one, other in pairs)
    note = (
        f"{count} took {busy[0]:.0f} µs of processor time each, in the clear {busy[1]:.0f}:"
        f" {median(ratios):.2f} times as much ({ratios[0]:.2f} … {ratios[-1]:.2f})"
    )
    return Row.once(name, subject, floor, _IN_THE_CLEAR, note=note)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
