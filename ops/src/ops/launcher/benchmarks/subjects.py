"""What can be measured: something that answers requests, or does its work once."""

import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from ops.launcher.benchmarks.jobs import Job, Step
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.samples import Sample
from ops.launcher.errors import LauncherError

WARM_UP_SHARE = 0.2
"""Of the seconds that are measured, so much is spent warming up before."""


class Subject(Protocol):
    """Something that can be put under load."""

    def measure(self, connections: int, seconds: float) -> Sample:
        """Put it under load for so long, on so many connections."""


class Requests:
    """Rounds of HTTP requests."""

    def __init__(
        self,
        generator: LoadGenerator,
        steps: Sequence[Step],
        *,
        pick_from: int = 1,
        rounds_per_second: float | None = None,
    ) -> None:
        """Prepare requests of which the last of each round is measured.

        Args:
            generator: sends them.
            steps: of a round; all but the last only prepare it.
            pick_from: see `Job`.
            rounds_per_second: see `Job`.
        """
        self._generator = generator
        self._steps = list(steps)
        self._pick_from = pick_from
        self._rounds_per_second = rounds_per_second

    def measure(self, connections: int, seconds: float) -> Sample:
        """Send them for so long, on so many connections."""
        result = self._generator.run(
            Job(
                steps=self._steps,
                connections=connections,
                seconds=seconds,
                warm_up_seconds=WARM_UP_SHARE * seconds,
                pick_from=self._pick_from,
                rounds_per_second=self._rounds_per_second,
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


class Together:
    """Several subjects at once, which share the connections."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        """Prepare them; no two of them may have the same generator."""
        self._subjects = list(subjects)

    def measure(self, connections: int, seconds: float) -> Sample:
        """Put all under load for so long, each on its share of the connections."""
        each = connections // len(self._subjects)
        with ThreadPoolExecutor(len(self._subjects)) as threads:
            samples = list(threads.map(lambda subject: subject.measure(each, seconds), self._subjects))
        return Sample(
            seconds=max(sample.seconds for sample in samples),
            latencies=[latency for sample in samples for latency in sample.latencies],
            errors=sum(sample.errors for sample in samples),
            missed=sum(sample.missed for sample in samples),
        )


class Rebuild:
    """The rebuilding of one read table; its rate is that of the events of the whole log."""

    def __init__(self, command: Sequence[str], events: Callable[[], int]) -> None:
        """Prepare it.

        Args:
            command: does it, and returns when it is done.
            events: how many events the log has.
        """
        self._command = list(command)
        self._events = events

    def measure(self) -> tuple[int, float]:
        """Rebuild, and return the number of events and of seconds.

        Raises:
            LauncherError: it failed.
        """
        events = self._events()
        began = time.perf_counter()
        done = subprocess.run(self._command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - began
        if done.returncode != 0:
            raise LauncherError(f"the rebuild failed:\n{done.stdout}{done.stderr}")
        return events, seconds
