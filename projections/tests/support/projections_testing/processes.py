"""The worker and its command line as processes."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

from ops.base.process.failpoints import SETTING as FAILPOINTS
from ops.launcher.processes.ports import free_port
from ops.testing.postgres import Database
from ops.testing.processes import in_background


def _environment(
    database: Database, port: int, failpoint: str, command: str, more: Mapping[str, str]
) -> dict[str, str]:
    seals = "FLEETLOG_SEALS" in more
    relays = command in ("relay", "rewind")
    return {
        **os.environ,
        "FLEETLOG_DATABASE": database.relay if relays else database.sealer if seals else database.projections,
        "FLEETLOG_PORT": str(port),
        "FLEETLOG_STALL_SECONDS": "0",  # some are frozen for longer, and nobody would start them again
        FAILPOINTS: failpoint,
        **more,
    }


@contextmanager
def started(database: Database, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command of the projections, what it prints can be read; killed at the context's end."""
    command = in_background([sys.executable, "-m", "projections", *arguments])
    environment = _environment(database, 0, "", arguments[0], {})
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(
    database: Database,
    *arguments: str,
    failpoint: str = "",
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """Run a command of the projections to its end.

    Args:
        database: what it works on.
        arguments: the command's words.
        failpoint: where it ends as if it had been killed, if anywhere.
        environment: further settings.
    """
    return subprocess.run(
        [sys.executable, "-m", "projections", *arguments],
        env=_environment(database, 0, failpoint, arguments[0], environment),
        capture_output=True,
        text=True,
        check=False,
    )


class RunningWorker:
    """A worker process and what it says over HTTP; killed at the context's end."""

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
        """Start it; see `run`.

        Args:
            database: what it works on.
            failpoint: where it ends as if it had been killed, if anywhere.
            command: `run`, or `relay`.
            names: of the only projections that it is to run.
            environment: further settings.
            output: file that takes what it prints; None: the test's own output.
        """
        self.port = free_port()
        with nullcontext() if output is None else output.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "projections", command, *names],
                env=_environment(database, self.port, failpoint, command, environment),
                stderr=file,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def get(self, path: str) -> tuple[int, str]:
        """Return an answer's status and body; 0 where there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return 0, ""

    def is_ready(self) -> bool:
        """Whether it says that it is."""
        return self.get("/readyz")[0] == 200

    def readiness(self) -> dict[str, Any]:
        """What it says of itself; nothing where it does not answer."""
        answer: dict[str, Any] = json.loads(self.get("/readyz")[1] or '{"checks": {}}')
        return answer
