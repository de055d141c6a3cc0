"""The worker and its command line as processes."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, TracebackType
from typing import Any, Self

from ops.base.process.failpoints import SETTING as FAILPOINTS
from ops.launcher.processes.ports import free_port
from ops.testing.postgres import Database
from projections_testing.forks import fork


def _environment(
    database: Database, port: int, failpoint: str, command: str, more: Mapping[str, str]
) -> dict[str, str]:
    seals = "FLEETLOG_SEALS" in more
    roles = {"relay": database.relay, "rewind": database.relay, "notify": database.notify}
    worker = database.sealer if seals else database.projections
    return {
        **os.environ,
        "FLEETLOG_DATABASE": roles.get(command, worker),
        "FLEETLOG_PORT": str(port),
        "FLEETLOG_STALL_SECONDS": "0",  # tests freeze processes, and no supervisor restarts them
        FAILPOINTS: failpoint,
        **more,
    }


def start(database: Database, *arguments: str, output: Path) -> BaseProcess:
    """Start a command that appends its output to a file."""
    return fork(arguments, _environment(database, 0, "", arguments[0], {}), output, None)


def run(
    database: Database,
    *arguments: str,
    failpoint: str = "",
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, or to a failpoint at which the process is killed."""
    with TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        settings = _environment(database, 0, failpoint, arguments[0], environment)
        process = fork(arguments, settings, output, errors)
        process.join()
        assert process.exitcode is not None
        return subprocess.CompletedProcess(
            arguments, process.exitcode, output.read_text(), errors.read_text()
        )


class RunningWorker:
    """A worker process and its HTTP interface; killed when the context ends.

    Args:
        failpoint: where the process is killed, if anywhere.
        command: `run`, `relay` or `notify`.
        names: the projections to run; all by default.
        output: a file for standard error; None: the test's own output.
    """

    def __init__(
        self,
        database: Database,
        *,
        failpoint: str = "",
        command: str = "run",
        names: Sequence[str] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
        output: Path | None = None,
    ) -> None:
        self.port = free_port()
        settings = _environment(database, self.port, failpoint, command, environment)
        self.process = fork([command, *names], settings, None, output)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.join()

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self.process.pid is not None
        return self.process.pid

    def wait(self) -> int | None:
        """Return the process's exit code, once it has ended."""
        self.process.join()
        return self.process.exitcode

    def get(self, path: str) -> tuple[int, str]:
        """Return a response's status and body; 0 without a response."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return 0, ""

    def is_ready(self) -> bool:
        """Return whether the process reports readiness."""
        return self.get("/readyz")[0] == 200

    def readiness(self) -> dict[str, Any]:
        """Return the readiness report; without checks if there is no response."""
        answer: dict[str, Any] = json.loads(self.get("/readyz")[1] or '{"checks": {}}')
        return answer
