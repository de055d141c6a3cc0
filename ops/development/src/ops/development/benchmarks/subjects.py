"""What makes load, and what can be put under it and gives a sample of that."""

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

from ops.development.benchmarks.jobs import Job, Result, Step
from ops.development.benchmarks.samples import Sample
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PYTHON

WARM_UP_SHARE: Final = 0.2
"""Of the seconds that are measured, so much is spent warming up before."""


class LoadGenerator:
    """A process that makes load; use it as a context manager."""

    def __enter__(self) -> Self:
        """Start it."""
        self._process = subprocess.Popen(
            [*PYTHON, "ops.development.benchmarks.generator"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        """End it."""
        if kind is not None:
            self._process.kill()
        self._process.communicate()

    def run(self, job: Job) -> Result:
        """Do a job and return what became of it.

        Raises:
            LauncherError: the generator has ended; it has said why.
        """
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("it was started with pipes")
        self._process.stdin.write(job.model_dump_json() + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise LauncherError("the load generator has ended")
        return Result.model_validate_json(line)


class Subject(Protocol):
    """Something that can be put under load."""

    def measure(self, connections: int, seconds: float) -> Sample:
        """Put it under load for so long, on so many connections."""


@dataclass(frozen=True)
class Requests:
    """Rounds of HTTP requests, of which the last of each round is measured.

    Attributes:
        generator: sends them.
        steps: of a round; all but the last only prepare it.
        pick_from: see `Job`.
        rounds_per_second: see `Job`.
    """

    generator: LoadGenerator
    steps: Sequence[Step]
    pick_from: int = 1
    rounds_per_second: float | None = None

    def measure(self, connections: int, seconds: float) -> Sample:
        """Send them for so long, on so many connections."""
        result = self.generator.run(
            Job(
                steps=list(self.steps),
                connections=connections,
                seconds=seconds,
                warm_up_seconds=WARM_UP_SHARE * seconds,
                pick_from=self.pick_from,
                rounds_per_second=self.rounds_per_second,
            )
        )
        *preparing, measured = result.tallies
        return Sample(
            seconds=result.seconds,
            latencies=measured.latencies,
            errors=sum(tally.errors for tally in result.tallies),
            # A read that prepares nothing and is told to show a write, but answers that it may not.
            missed=measured.stale + (measured.errors if preparing else 0),
        )


@dataclass(frozen=True)
class Together:
    """Several subjects at once, which share the connections; no two of them have the same generator."""

    subjects: Sequence[Subject]

    def measure(self, connections: int, seconds: float) -> Sample:
        """Put all under load for so long, each on its share of the connections."""
        each = connections // len(self.subjects)
        with ThreadPoolExecutor(len(self.subjects)) as threads:
            samples = list(threads.map(lambda subject: subject.measure(each, seconds), self.subjects))
        return Sample(
            seconds=max(sample.seconds for sample in samples),
            latencies=[latency for sample in samples for latency in sample.latencies],
            errors=sum(sample.errors for sample in samples),
            missed=sum(sample.missed for sample in samples),
        )
