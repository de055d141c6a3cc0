"""The load generator, seen from the launcher."""

import subprocess
from types import TracebackType
from typing import Self

from ops.launcher.benchmarks.jobs import Job, Result
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PYTHON


class LoadGenerator:
    """A process that makes load; use it as a context manager."""

    def __enter__(self) -> Self:
        """Start it."""
        self._process = subprocess.Popen(
            [*PYTHON, "ops.launcher.benchmarks.generator"],
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
