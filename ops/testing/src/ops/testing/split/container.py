"""One container's place: a process that is started, killed and started again as an engine would."""

import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psutil

from ops.launcher.processes.wrapped import tied_to_parent

_FIRST_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 5.0


class Container:
    """A program with its whole environment; `keep` starts it where it is wanted and does not run.

    Attributes:
        name: `SERVICE-NUMBER`.
        environment: all that it knows.
        process: as it was started last.
        starts: how often it was started.
        is_wanted: whether it is to run.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        environment: Mapping[str, str],
        log: Path,
        *,
        restart: bool = True,
        stop_signal: str = "SIGTERM",
        popen_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Describe a container.

        Args:
            name: see above.
            command: its command line.
            environment: see above.
            log: file that takes its output.
            restart: whether it is started again when it has ended.
            stop_signal: what it is asked to end with.
            popen_options: further ones, such as the user to run as.
        """
        self.name = name
        self.environment = dict(environment)
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.is_wanted = False
        self._command = command
        self._log = log
        self._restart = restart
        self._stop_signal = signal.Signals[stop_signal]
        self._popen_options = dict(popen_options or {})
        self._pause = _FIRST_PAUSE_SECONDS
        self._not_before = 0.0

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    @property
    def status(self) -> int | None:
        """With what it ended, if it did."""
        return None if self.process is None else self.process.poll()

    @property
    def output(self) -> str:
        """What it has said."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def keep(self) -> None:
        """Start it if it is to run and does not; after its first end ever more slowly, as engines do."""
        now = time.monotonic()
        if not self.is_wanted or self.is_running or now < self._not_before:
            return
        if self.process is not None:
            if not self._restart:
                return
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        self._not_before = now + self._pause
        self._start()

    def kill(self) -> int:
        """End it and all its children with SIGKILL, as the end of a container does; gives the pid it had."""
        if self.process is None:
            raise RuntimeError(f"{self.name} was never started")
        pid = self.process.pid
        victims = []
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(pid)
            victims = [root, *root.children(recursive=True)]
        for victim in victims:
            with suppress(psutil.NoSuchProcess):
                victim.kill()
        psutil.wait_procs(victims, timeout=5)
        self._pause, self._not_before = _FIRST_PAUSE_SECONDS / 2, 0.0
        return pid

    def ask_to_end(self) -> None:
        """Send it the signal that it is stopped with."""
        if self.is_running and self.process is not None:
            self.process.send_signal(self._stop_signal)

    def reload(self) -> None:
        """Let it read its configuration again."""
        if self.process is not None:
            self.process.send_signal(signal.SIGHUP)

    def wait_until_ended(self, seconds: float) -> None:
        """Wait until its process is gone; kill it when that takes too long.

        Raises:
            TimeoutError: it had to be killed.
        """
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} did not end within {seconds:.0f} s") from None
        self._pause, self._not_before = _FIRST_PAUSE_SECONDS / 2, 0.0

    def _start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                tied_to_parent(self._command, self._stop_signal),
                env=self.environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._popen_options,
            )
        self.starts += 1
