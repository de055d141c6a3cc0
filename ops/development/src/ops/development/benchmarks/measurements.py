"""The measurements of the benchmark, in the order in which they run.

A subject and its floor take turns (A B A B …), so that a disturbance of the machine affects both; a ratio
is the median of the rounds' ratios.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from psutil import NoSuchProcess, Process

from ops.development.benchmarks.generator import send
from ops.development.benchmarks.instance import Instance, running_floor
from ops.development.benchmarks.load import Job, Sample
from ops.development.benchmarks.results import ResultRow, row_of
from ops.development.benchmarks.workload import Workload, of_floor
from ops.launcher.messages import notify

CONNECTIONS: Final = (1, 32)
REBUILT: Final = ("horses", "revisions")
_WARM_UP: Final = 0.2
"""Share of a measurement's seconds that is spent on unmeasured load before it."""
_TABLES: Final = {"the log": "log.events", "revisions": "read.revisions"}


@dataclass(frozen=True)
class Bench:
    """A filled instance, the load generator and the extent of a run.

    Attributes:
        requests: names of `Workload.jobs` for the measurement of requests; empty: all.
        events: minimum number of events in the log for rebuilds and storage.
    """

    instance: Instance
    generator: Executor
    workload: Workload
    requests: Sequence[str]
    seconds: float
    rounds: int
    events: int

    def measure(self, job: Job, connections: int) -> Sample:
        """Run a job for the run's time after a warm-up, and let the projections follow."""
        timing = {"seconds": self.seconds, "warm_up_seconds": _WARM_UP * self.seconds}
        sample = send(self.generator, job.model_copy(update={"connections": connections, **timing}))
        self.instance.catch_up()  # their work is in the processor time of commands
        return sample


def requests(bench: Bench) -> Iterator[ResultRow]:
    """Measure rate, latency and processor time of each request, compared with a server that does nothing."""
    jobs = bench.workload.jobs()
    with running_floor() as (port, floor_processes):
        for name in bench.requests or jobs:
            floor_job = of_floor(jobs[name], port, bench.workload.length_of(name))
            yield from _in_turn(bench, name, jobs[name], floor_job, floor_processes)


def _in_turn(
    bench: Bench, name: str, job: Job, floor_job: Job, floor_processes: Mapping[str, Process]
) -> Iterator[ResultRow]:
    """Measure a job and its floor in turn."""
    processes = bench.instance.processes
    for connections in CONNECTIONS:
        notify(f"{name}, {connections}")
        subjects, floors = _Meter(processes), _Meter(floor_processes)
        for _ in range(bench.rounds):
            for meter, each in ((floors, floor_job), (subjects, job)):
                meter.add(partial(bench.measure, each, connections))
        row = row_of(name, connections, subjects.samples, floors.samples)
        costs, floor_costs = subjects.milliseconds(), floors.milliseconds()
        yield replace(row, milliseconds=costs, floor_milliseconds=floor_costs)
        bench.instance.catch_up(vacuum=job.requests[0].method != "GET")


def rebuild(bench: Bench) -> Iterator[ResultRow]:
    """Measure rebuilds of an entity table and of the revisions."""
    notify("rebuild: filling the log")
    bench.workload.grow(bench.events)
    for projection in REBUILT:
        notify(f"rebuild {projection}")
        events, seconds = bench.instance.events, bench.instance.rebuild(projection)
        note = f"{events:,} events in {seconds:.1f} s"
        yield ResultRow(f"rebuild {projection}", rate=events / seconds, answers=events, note=note)


def growth(bench: Bench) -> Iterator[ResultRow]:
    """Measure the disk space of a million events."""
    notify("growth: filling the log")
    bench.workload.grow(bench.events)
    events = bench.instance.events
    size_of = "SELECT pg_total_relation_size(%s::regclass)"
    sizes = {name: bench.instance.query(size_of, table) for name, table in _TABLES.items()}
    found = ", ".join(f"{name} {size / events / 1e3:.2f} GB" for name, size in sizes.items())
    yield ResultRow("growth", answers=events, note=f"a million events with indexes: {found}")


MEASUREMENTS: Final[Mapping[str, Callable[[Bench], Iterator[ResultRow]]]] = {
    "requests": requests,
    "rebuild": rebuild,
    "growth": growth,
}
"""By name. Lists are read before anything is created, so that they have the length in their name."""


class _Meter:
    """Adds up samples and the processor time that processes spend on them."""

    def __init__(self, processes: Mapping[str, Process]) -> None:
        self.samples: list[Sample] = []
        self._processes = processes
        self._seconds = dict.fromkeys(processes, 0.0)

    def add(self, measure: Callable[[], Sample]) -> None:
        before = {name: _processor_seconds(process) for name, process in self._processes.items()}
        self.samples.append(measure())
        for name, process in self._processes.items():
            self._seconds[name] += _processor_seconds(process) - before[name]

    def milliseconds(self) -> Mapping[str, float]:
        """Return the processor time per request; requests of warm-ups are estimated from their share."""
        requests = max(1, sum(len(sample.latencies) for sample in self.samples)) * (1 + _WARM_UP)
        return {name: 1000 * seconds / requests for name, seconds in self._seconds.items()}


def _processor_seconds(process: Process) -> float:
    """Return the processor time of a process and of its children, those that have ended included."""
    times = process.cpu_times()
    total: float = times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with suppress(NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total
