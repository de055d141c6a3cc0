"""One child process of the supervisor, over all its lives."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from ops.base.process.tasks import supervised
from ops.launcher.errors import LauncherError
from ops.launcher.instance.record import PartRecord, State
from ops.launcher.processes.backoff import Backoff
from ops.launcher.processes.part import Part
from ops.launcher.processes.wrapped import tied_to_parent, with_descriptors

_POLL_SECONDS = 0.05
_PASSING_PAUSE_SECONDS = 0.2
_PASSING_FAILURE_SECONDS = 10.0
_LOG_LIMIT_BYTES = 20_000_000


class Child:
    """Keeps one part running until it is stopped.

    Attributes:
        part: what it runs.
        state: what it is doing.
    """

    def __init__(
        self, part: Part, *, log: Path, say: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        """Prepare a child; `start` runs it.

        Args:
            part: what to run.
            log: file that takes its output.
            say: prints a line for the user.
            changed: called whenever `record()` has something new to tell.
        """
        self.part = part
        self.state: State = "starting"
        self._log = log
        self._say = say
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._started = 0.0
        self._ready_since: float | None = None
        self._stopping = False
        self._ready = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    def record(self) -> PartRecord:
        """What `status` needs to know."""
        running = self._process is not None and self._process.returncode is None
        return PartRecord(
            pid=self._process.pid if running and self._process else 0,
            started=self._started,
            program=self.part.command[0],
            port=self.part.port,
            health=self.part.health,
            state=self.state,
        )

    async def start(self, seconds: float) -> None:
        """Run the part and return when it is ready; from then on it is restarted whenever it ends.

        Args:
            seconds: how long it may take.

        Raises:
            LauncherError: it ended, or is not ready in time.
        """
        keeping = supervised(self._keep, fatal=(LauncherError,))
        self._keeper = asyncio.create_task(keeping, name=f"keep {self.part.name}")
        ready = asyncio.create_task(self._ready.wait())
        try:
            done, _ = await asyncio.wait(
                {self._keeper, ready}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ready.cancel()
        if self._keeper in done:
            self._keeper.result()
        elif not done:
            raise LauncherError(
                f"{self.part.name} is not ready after {seconds:.0f} s: {self._last_line()}; see {self._log}"
            )

    async def stop(self) -> None:
        """End the part: cleanly, or after its `stop_seconds` by force."""
        seconds = self.part.stop_seconds
        self._stopping = True
        if self._keeper is None:
            return
        if self._process is None or self._process.returncode is not None:
            self._keeper.cancel()
        else:
            self._send(self.part.stop_signal)
        await asyncio.wait({self._keeper}, timeout=seconds)
        if not self._keeper.done():
            self._say(f"{self.part.name} did not end within {seconds:.0f} s and was killed")
            self._send(signal.SIGKILL)
            await asyncio.wait({self._keeper})
        self._set_state("stopped")

    async def _keep(self) -> None:
        first_start = time.monotonic()
        backoff = Backoff(self.part.longest_pause)
        while True:
            ending = await self._live()
            if self._stopping:
                return
            if not self._ready.is_set():
                self._judge_failed_start(first_start, ending)
                await asyncio.sleep(_PASSING_PAUSE_SECONDS)
                continue
            delay = self._delay(backoff)
            when = f" in {delay:.1f} s" if delay else ""
            self._set_state("restarting")
            self._say(f"{self.part.name} {ending}; starting it again{when} (log: {self._log})")
            await asyncio.sleep(delay)

    def _delay(self, backoff: Backoff) -> float:
        if self._ready_since is not None:
            return backoff.seconds_after(ready_seconds=time.monotonic() - self._ready_since)
        if self._failed_passingly(self._last_lines()):
            return _PASSING_PAUSE_SECONDS
        return backoff.seconds_after(ready_seconds=None)

    async def _live(self) -> str:
        """Run the program once, and tell how it ended."""
        self._ready_since = None
        try:
            process = await self._spawn()
        except OSError as error:
            return f"cannot be run: {error.strerror}"
        watcher = asyncio.create_task(supervised(self._watch_readiness))
        try:
            status = await process.wait()
        finally:
            watcher.cancel()
        return (
            f"ended with status {status}" if status >= 0 else f"was ended by {signal.Signals(-status).name}"
        )

    async def _spawn(self) -> asyncio.subprocess.Process:
        if self._log.exists() and self._log.stat().st_size > _LOG_LIMIT_BYTES:
            self._log.replace(self._log.with_name(f"{self._log.name}.1"))
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *tied_to_parent(
                    with_descriptors(self.part.command, self.part.descriptors), self.part.stop_signal
                ),
                cwd="/",
                env=dict(self.part.environment),
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                start_new_session=True,  # Ctrl-C is for the launcher, which ends the parts in their order
                **self.part.popen_options,
            )
        finally:
            os.close(descriptor)
        self._started = _create_time(self._process.pid)
        self._changed()
        return self._process

    async def _watch_readiness(self) -> None:
        while not await asyncio.to_thread(self.part.is_ready):  # noqa: ASYNC110 - nothing here would set an event
            await asyncio.sleep(_POLL_SECONDS)
        if self._ready.is_set():
            self._say(f"{self.part.name} is back")
        self._ready_since = time.monotonic()
        self._ready.set()
        self._set_state("ready")

    def _judge_failed_start(self, first_start: float, ending: str) -> None:
        soon = time.monotonic() - first_start < _PASSING_FAILURE_SECONDS
        if soon and self._failed_passingly(self._last_lines()):
            return
        raise LauncherError(f"{self.part.name} {ending}: {self._last_line()}; see {self._log}")

    def _last_line(self) -> str:
        lines = self._last_lines()
        return lines[-1] if lines else "no message"

    def _last_lines(self) -> list[str]:
        if not self._log.exists():
            return []
        return self._log.read_text(errors="replace")[-4000:].strip().splitlines()[-5:]

    def _failed_passingly(self, lines: list[str]) -> bool:
        passing = self.part.passing_failure
        return passing is not None and any(passing in line for line in lines)

    def _set_state(self, state: State) -> None:
        self.state = state
        self._changed()

    def _send(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._process is not None:
                self._process.send_signal(number)


def _create_time(pid: int) -> float:
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return time.time()
