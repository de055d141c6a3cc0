"""What a request costs: processor time, by process, beside what the least of answers costs.

It barely moves when the machine is shared, as rates do; so it is the figure to work with.
"""

import itertools
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from psutil import NoSuchProcess, Process

from ops.development.benchmarks.asked import Asked, Sizes, filled_instance
from ops.development.benchmarks.bare import STATUSES
from ops.development.benchmarks.instance import bare_behind_gateway
from ops.development.benchmarks.jobs import Job
from ops.development.benchmarks.measuring import CONNECTIONS, Step
from ops.development.benchmarks.samples import Cost, Sample
from ops.development.benchmarks.subjects import WARM_UP_SHARE, LoadGenerator

PARTS: Final = ("command-api", "query-api", "projections", "postgres", "gateway")


@dataclass(frozen=True)
class Measured:
    """What requests took.

    Attributes:
        sample: the answers, and how long they took.
        milliseconds: processor time of one, by part.
    """

    sample: Sample
    milliseconds: Mapping[str, float]

    @property
    def together(self) -> float:
        """Processor time of one, of all parts."""
        return sum(self.milliseconds.values())


def run(step: Step, sizes: Sizes, *, seconds: float) -> list[Cost]:
    """Measure on an instance of its own, through its gateway, as users come.

    Args:
        step: shows progress.
        sizes: how much there is.
        seconds: how long each request is sent.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    with (
        filled_instance(step, sizes) as asked,
        bare_behind_gateway() as (bare, bare_parts),
        LoadGenerator() as generator,
    ):
        requests = asked.requests
        costs = []
        for done, (name, connections) in enumerate(itertools.product(requests, CONNECTIONS)):
            step(f"cost: {name}", done, len(requests) * len(CONNECTIONS))
            job = requests[name].model_copy(update={"connections": connections, "seconds": seconds})
            floor = _spent(_answered_by_bare(job), generator, bare, bare_parts, lambda: None)
            found = spent_by(asked, job, generator, step)
            errors = found.sample.errors + floor.sample.errors
            answers = len(found.sample.latencies)
            costs.append(Cost(name, connections, answers, errors, found.milliseconds, floor.together))
    return costs


def spent_by(asked: Asked, job: Job, generator: LoadGenerator, step: Step) -> Measured:
    """Send an instance requests, and return what they took with all that follows from them.

    Args:
        asked: whose gateway is asked.
        job: what is sent; to which port is filled in.
        generator: sends it.
        step: shows progress.

    Raises:
        LauncherError: nothing moves any more.
    """
    parts = {part: asked.instance.process(part) for part in PARTS}

    def settle() -> None:
        asked.filling.wait_until_projected("catching up", step, vacuum=False)

    found = _spent(job, generator, asked.instance.gateway, parts, settle)
    if job.steps[0].method != "GET":
        asked.filling.wait_until_projected("catching up", step)
    return found


def _spent(
    job: Job,
    generator: LoadGenerator,
    gateway: int,
    parts: Mapping[str, Process],
    settle: Callable[[], None],
) -> Measured:
    steps = [each.model_copy(update={"port": gateway}) for each in job.steps]
    job = job.model_copy(update={"steps": steps})
    generator.run(job.model_copy(update={"seconds": WARM_UP_SHARE * job.seconds}))
    settle()
    before = {part: seconds_of(process) for part, process in parts.items()}
    result = generator.run(job)
    settle()  # what follows from a command is part of what it costs
    spent = {part: 1000 * (seconds_of(process) - before[part]) for part, process in parts.items()}
    latencies = result.tallies[-1].latencies
    sample = Sample(result.seconds, latencies, errors=sum(tally.errors for tally in result.tallies))
    return Measured(sample, {part: each / max(1, len(latencies)) for part, each in spent.items()})


def _answered_by_bare(job: Job) -> Job:
    """The same requests, which are answered whatever they ask for."""
    steps = [each.model_copy(update={"status": STATUSES.get(each.method, 200)}) for each in job.steps]
    return job.model_copy(update={"steps": steps})


def seconds_of(process: Process) -> float:
    """Return the processor seconds of a process, of its children, and of those of them that have ended."""
    times = process.cpu_times()
    total: float = times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with suppress(NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total
