"""A supervised child process."""

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
from ops.launcher.instance.record import ProcessRecord, State
from ops.launcher.processes.backoff import Backoff
from ops.launcher.processes.command_lines import tied_to_parent, with_open_file_limit
from ops.launcher.processes.spec import ProcessSpec

_POLL_SECONDS = 0.05
_TRANSIENT_PAUSE_SECONDS = 0.2
_TRANSIENT_FAILURE_SECONDS = 10.0
_LOG_LIMIT_BYTES = 20_000_000


class Child:
    """Runs a process and restarts it whenever it ends, until `stop`."""

    def __init__(
        self, spec: ProcessSpec, *, log: Path, notify: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        """Create a child that `start` will run.

        Args:
            changed: called whenever `record()` changes.
        """
        self.spec = spec
        self._state: State = "starting"
        self._log = log
        self._notify = notify
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._started = 0.0
        self._ready_since: float | None = None
        self._stopping = False
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def record(self) -> ProcessRecord:
        """Return the process's entry in `running.json`."""
        running = self._process is not None and self._process.returncode is None
        return ProcessRecord(
            pid=self._process.pid if running and self._process else 0,
            started=self._started,
            program=self.spec.command[0],
            port=self.spec.port,
            health=self.spec.health,
            state=self._state,
        )

    async def start(self, seconds: float) -> None:
        """Start the process and wait until it is ready; from then on it is restarted whenever it ends."""
        self._task = asyncio.create_task(
            supervised(self._keep_running, fatal=(LauncherError,)), name=f"keep {self.spec.name} running"
        )
        ready = asyncio.create_task(self._ready.wait())
        try:
            done, _ = await asyncio.wait(
                {self._task, ready}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ready.cancel()
        if self._task in done:
            self._task.result()
        elif not done:
            raise self._failure(f"is not ready after {seconds:.0f} s")

    async def stop(self) -> None:
        """Stop the process: by its `stop_signal`, and after `stop_seconds` by SIGKILL."""
        self._stopping = True
        if self._task is None:
            return
        if self._process is None or self._process.returncode is not None:
            self._task.cancel()
        else:
            self._send(self.spec.stop_signal)
        await asyncio.wait({self._task}, timeout=self.spec.stop_seconds)
        if not self._task.done():
            self._notify(f"{self.spec.name} did not end within {self.spec.stop_seconds:.0f} s and was killed")
            self._send(signal.SIGKILL)
            await asyncio.wait({self._task})
        self._set_state("stopped")

    async def _keep_running(self) -> None:
        first_start = time.monotonic()
        backoff = Backoff(self.spec.longest_pause)
        while True:
            ending = await self._run_once()
            if self._stopping:
                return
            is_transient = self._ready_since is None and self._failed_transiently()
            if self._ready.is_set():
                ready_seconds = None if self._ready_since is None else time.monotonic() - self._ready_since
                delay = (
                    _TRANSIENT_PAUSE_SECONDS
                    if is_transient
                    else backoff.next_delay(ready_seconds=ready_seconds)
                )
                when = f" in {delay:.1f} s" if delay else ""
                self._set_state("restarting")
                self._notify(f"{self.spec.name} {ending}; restarting it{when} (log: {self._log})")
                await asyncio.sleep(delay)
            elif is_transient and time.monotonic() - first_start < _TRANSIENT_FAILURE_SECONDS:
                await asyncio.sleep(_TRANSIENT_PAUSE_SECONDS)
            else:
                raise self._failure(ending)

    async def _run_once(self) -> str:
        """Run the process to its end and describe how it ended."""
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
        command = with_open_file_limit(self.spec.command, self.spec.descriptors)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *tied_to_parent(command, self.spec.stop_signal),
                cwd="/",
                env=dict(self.spec.environment),
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                start_new_session=True,  # Ctrl-C is for the launcher, which stops processes in order
                **self.spec.popen_options,
            )
        finally:
            os.close(descriptor)
        self._started = _create_time(self._process.pid)
        self._changed()
        return self._process

    async def _watch_readiness(self) -> None:
        while not await asyncio.to_thread(self.spec.is_ready):  # noqa: ASYNC110 - no event to wait for
            await asyncio.sleep(_POLL_SECONDS)
        if self._ready.is_set():
            self._notify(f"{self.spec.name} is back")
        self._ready_since = time.monotonic()
        self._ready.set()
        self._set_state("ready")

    def _failure(self, what: str) -> LauncherError:
        last_line = (self._last_lines() or ["no message"])[-1]
        return LauncherError(f"{self.spec.name} {what}: {last_line}; see {self._log}")

    def _last_lines(self) -> list[str]:
        if not self._log.exists():
            return []
        return self._log.read_text(errors="replace")[-4000:].strip().splitlines()[-5:]

    def _failed_transiently(self) -> bool:
        text = self.spec.transient_failure
        return text is not None and any(text in line for line in self._last_lines())

    def _set_state(self, state: State) -> None:
        self._state = state
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
