"""A process in place of a container, started, killed and restarted as by a container engine."""

import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ops.launcher.processes.command_lines import start_process
from ops.testing.processes import kill_with_children

_FIRST_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 5.0


class Container:
    """A program with its complete environment, which `keep` starts if it should run and does not.

    Attributes:
        name: `SERVICE-NUMBER`.
        process: the last one started.
        starts: the number of starts.
        is_wanted: whether it should run.
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
            name: `SERVICE-NUMBER`.
            command: its command line.
            environment: its variables.
            log: file for its output.
            restart: whether it is restarted after its end.
            stop_signal: name of the signal that stops it.
            popen_options: further options, such as the user.
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
        return self.process is not None and self.process.poll() is None

    @property
    def status(self) -> int | None:
        """The exit status of the last process; None while it runs."""
        return None if self.process is None else self.process.poll()

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def keep(self) -> None:
        """Start the program if it should run and does not, with growing pauses between restarts."""
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
        """Kill the program and all its children, as the end of a container does, and return its pid."""
        if self.process is None:
            raise RuntimeError(f"{self.name} was never started")
        pid = self.process.pid  # `keep` may start the next process meanwhile
        kill_with_children(pid, seconds=5)
        self._pause, self._not_before = _FIRST_PAUSE_SECONDS / 2, 0.0
        return pid

    def ask_to_end(self) -> None:
        """Send the stop signal."""
        if self.is_running and self.process is not None:
            self.process.send_signal(self._stop_signal)

    def reload(self) -> None:
        """Send SIGHUP, which makes the program reload its configuration."""
        if self.process is not None:
            self.process.send_signal(signal.SIGHUP)

    def wait_until_ended(self, seconds: float) -> None:
        """Wait until the process has ended, and kill it after the time limit.

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
            self.process = start_process(
                self._command,
                self.environment,
                log,
                stop_signal=self._stop_signal,
                cwd="/",
                **self._popen_options,
            )
        self.starts += 1
