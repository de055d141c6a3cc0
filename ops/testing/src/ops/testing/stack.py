"""The whole product, run by the real `up` as a child of the test session."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.development.identity_provider.tokens import LIFETIME, TokenSigner
from ops.development.identity_provider.users import user_named
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import Record, read_record
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent
from ops.testing.folders import open_folder

_START_SECONDS = 90.0
_BACK_SECONDS = 30.0
_STOP_SECONDS = 60.0


class Stack:
    """One instance on a data folder and a port of its own; it can be killed and started again.

    Attributes:
        address: where it answers, such as `http://localhost:20123`.
        data: its data folder.
        launcher: the process that runs it.
        arguments: further ones of `up`, at its next start.
    """

    def __init__(
        self,
        folder: Path,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare a stack; `start` runs it.

        Args:
            folder: an empty folder that PostgreSQL's user can enter; everything lies below it.
            arguments: further arguments of `up`.
            environment: what to run it in instead of the test's own.
        """
        self.data = folder / "data"
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"
        self.launcher: subprocess.Popen[bytes] | None = None
        self.arguments = list(arguments)
        self._environment = environment
        self._output = folder / "launcher.log"
        self._frontend = folder / "frontend"
        self._frontend.mkdir()
        (self._frontend / "index.html").write_text("<!doctype html><title>Fleetlog</title>\n")

    def start(self) -> None:
        """Run `up` and return when it is ready.

        Raises:
            RuntimeError: it did not become ready; the text is what it printed.
        """
        begin = self._output.stat().st_size if self._output.exists() else 0
        command = ["up", "--port", str(self.port), "--data", str(self.data), *self.arguments]
        with self._output.open("ab") as output:
            self.launcher = subprocess.Popen(
                tied_to_parent([*PYTHON, "ops.launcher", *command], signal.SIGTERM),
                env={
                    **(self._environment or os.environ),
                    FRONTEND_SETTING: str(self._frontend),
                    "FLEETLOG_SEAL_SECONDS": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while "Fleetlog is ready" not in (reported := self._output.read_text()[begin:]):
            if self.launcher.poll() is not None or time.monotonic() > deadline:
                logs = "".join(
                    f"\n{log.name}:\n{log.read_text(errors='replace')[-2000:]}"
                    for log in sorted(DataFolder(self.data).logs.glob("*.log"))
                )
                raise RuntimeError(f"the stack did not start:\n{reported}{logs}")
            time.sleep(0.02)

    def stop(self) -> int:
        """End it cleanly and return the launcher's exit status."""
        if self.launcher is None:
            return 0
        self.launcher.send_signal(signal.SIGTERM)
        return self.launcher.wait(timeout=_STOP_SECONDS)

    def kill_launcher(self) -> None:
        """`kill -9` the launcher alone."""
        if self.launcher is not None:
            self.launcher.kill()
            self.launcher.wait()

    def kill_everything(self) -> None:
        """`kill -9` the launcher, all parts and their own children, as a power cut does.

        They are gone when this returns: what PostgreSQL's children still wrote would be in the way of whoever
        removes the folder.
        """
        pids = [part.pid for part in self.record().parts.values() if part.pid]
        self.kill_launcher()
        processes = []
        for pid in pids:
            with contextlib.suppress(psutil.NoSuchProcess):
                part = psutil.Process(pid)
                processes += [part, *part.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes, timeout=_STOP_SECONDS)

    def kill(self, part: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal to one part (`command-api`, `postgres`, …) and return the pid it had."""
        pid = self.pid(part)
        os.kill(pid, number)
        return pid

    def wait_until_back(self, part: str, former_pid: int) -> None:
        """Wait until a part runs in another process and is ready.

        Raises:
            TimeoutError: that took too long.
        """
        deadline = time.monotonic() + _BACK_SECONDS
        while True:
            now = self.record().parts[part]
            if now.pid not in {0, former_pid} and now.state == "ready":
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"{part} is not back after {_BACK_SECONDS:.0f} s: {now}")
            time.sleep(0.02)

    def pid(self, part: str) -> int:
        """Process id of a part."""
        return self.record().parts[part].pid

    def part_address(self, part: str) -> str:
        """Where a part answers directly, past the gateway."""
        return f"http://127.0.0.1:{self.record().parts[part].port}"

    def dsn(self, role: str) -> str:
        """DSN of a service's database role: `command-api`, `projections` or `query-api`."""
        return self.record().environments[role]["FLEETLOG_DATABASE"]

    @property
    def command_address(self) -> str:
        """Where commands are sent to: the gateway."""
        return self.address

    @property
    def query_address(self) -> str:
        """Where queries are sent to: the gateway."""
        return self.address

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's superuser."""
        secrets = load_or_make(DataFolder(self.data))
        return superuser_dsn(self.record().parts["postgres"].port, secrets.superuser, DATABASE)

    @property
    def keys(self) -> KeySettings:
        """Where the keys are that it seals with."""
        return KeySettings(keys=SecretStr(self.record().environments["command-api"]["FLEETLOG_KEYS"]))

    @property
    def output(self) -> str:
        """What the launcher has printed so far, over all its lives."""
        return self._output.read_text()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the launcher on this stack's data folder."""
        command = [*PYTHON, "ops.launcher", words[0], "--data", str(self.data), *words[1:]]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)

    def token(self, user: str = "staff", *, lifetime: int = LIFETIME) -> str:
        """An access token of a demonstration user: a role, such as `staff`, or a subject.

        Signed with the provider's own key, also while that, or the gateway, is away.

        Args:
            user: whose.
            lifetime: seconds for which it is good.
        """
        signer = TokenSigner.of(self.record().environments["identity-provider"])
        return signer.access_token(user_named(user), lifetime=lifetime)

    def record(self) -> Record:
        """What is running."""
        record = read_record(DataFolder(self.data))
        if record is None:
            raise RuntimeError("nothing was started")
        return record


@contextlib.contextmanager
def running_stack(*, arguments: Sequence[str] = ()) -> Iterator[Stack]:
    """A started stack, stopped and removed at the end."""
    with open_folder() as folder:
        stack = Stack(folder, arguments=arguments)
        try:
            stack.start()
            yield stack
        finally:
            stack.stop()
