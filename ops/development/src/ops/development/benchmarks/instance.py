"""A temporary instance of the product for the benchmark, and the floor server behind a gateway of its own."""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, LiteralString

import httpx
import psutil
import psycopg

from ops.development.temporary import temporary_instance
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.gateway.configuration import write_configuration
from ops.launcher.gateway.program import nginx_command
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import InstanceRecord, running_instance
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.spec import answers_ok
from ops.launcher.sign_in import SignIn

_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 60.0
_STALL_SECONDS: Final = 60.0
"""Give up when the projections have not advanced for this long."""
_UNDISTURBED: Final = {"FLEETLOG_SEAL_SECONDS": "3600"}
"""Sealing is periodic and would fall into one measurement and not into the next."""
_PARTS: Final = ("command-api", "query-api", "projections", "notify", "postgres", "gateway")
_BEHIND: Final = """
SELECT (SELECT position FROM log.head) - (SELECT coalesce(min(position), 0) FROM read.positions)
"""


class Instance:
    """A running instance."""

    def __init__(self, data: DataFolder, port: int) -> None:
        self.port = port
        self._data = data
        self._record: InstanceRecord = running_instance(data)

    @property
    def dsn(self) -> str:
        """DSN of the database's superuser."""
        port = self._record.processes["postgres"].port
        return superuser_dsn(port, load_or_make(self._data).superuser, DATABASE)

    @property
    def processes(self) -> Mapping[str, psutil.Process]:
        """Processes of the instance by part."""
        return {part: psutil.Process(self._record.processes[part].pid) for part in _PARTS}

    def headers(self, user: str = "staff") -> dict[str, str]:
        """Return request headers that authenticate a demonstration user."""
        return {"Authorization": f"Bearer {SignIn(self._record.address).token(user)}"}

    def get(self, path: str) -> httpx.Response:
        """Return the answer to GET."""
        address = f"http://127.0.0.1:{self.port}{path}"
        return httpx.get(address, headers=self.headers(), timeout=60, trust_env=False)

    def query(self, statement: LiteralString, *values: object) -> Any:
        """Return the single value of an SQL query."""
        with psycopg.connect(self.dsn) as connection:
            ((value,),) = connection.execute(statement, values).fetchall()
        return value

    @property
    def events(self) -> int:
        """Number of events in the log."""
        return int(self.query("SELECT position FROM log.head"))

    def rebuild(self, projection: str) -> float:
        """Rebuild a projection and return the seconds it took."""
        words = ["projections", "rebuild", projection, "--data", str(self._data.path)]
        began = time.perf_counter()
        done = subprocess.run([*PYTHON, "ops.launcher", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LauncherError(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        return time.perf_counter() - began

    def catch_up(self, *, vacuum: bool = False) -> None:
        """Wait until all projections have reached the end of the log.

        Args:
            vacuum: clean up as well, so that autovacuum does not run during the next measurement.
        """
        last, moved = None, time.monotonic()
        while lag := self.query(_BEHIND):
            if lag != last:
                last, moved = lag, time.monotonic()
            elif time.monotonic() - moved > _STALL_SECONDS:
                raise LauncherError(f"the projections stay {lag} events behind the log")
            time.sleep(0.05)
        if vacuum:
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")


@contextlib.contextmanager
def running_instance_of_bench() -> Iterator[Instance]:
    """Run a temporary instance whose frontend, which is not measured, is one page."""
    with tempfile.TemporaryDirectory(prefix="fleetlog-bench-") as pages:
        (Path(pages) / "index.html").write_text("<!doctype html><title>Fleetlog</title>\n")
        with temporary_instance({**_UNDISTURBED, FRONTEND_SETTING: pages}) as (data, port):
            yield Instance(data, port)


@contextlib.contextmanager
def running_floor() -> Iterator[tuple[int, Mapping[str, psutil.Process]]]:
    """Start the floor server behind a gateway; yields the gateway's port and both processes."""
    port, behind = free_port(), free_port()
    with tempfile.TemporaryDirectory(prefix="fleetlog-bench-") as name:
        folder = Path(name)
        server = [f"127.0.0.1:{behind}"]
        write_configuration(
            folder,
            address=f"http://127.0.0.1:{port}",
            listen=[f"127.0.0.1:{port}"],
            upstreams={"command-api": server, "query-api": server, "identity-provider": []},
            frontend=folder,
        )
        command = [*PYTHON, "ops.development.benchmarks.floor"]
        with (
            _service(command, folder, behind, "/readyz") as floor,
            _service(nginx_command(folder), folder, port, "/config.json") as gateway,
        ):
            yield port, {"floor": floor, "gateway": gateway}


@contextlib.contextmanager
def _service(command: list[str], folder: Path, port: int, ready: str) -> Iterator[psutil.Process]:
    name = Path(command[-1]).name
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        # Ctrl-C goes to the benchmark alone, which stops its children in order.
        process = start_process(command, {**os.environ, "FLEETLOG_PORT": str(port)}, output)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not answers_ok(port, ready):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LauncherError(f"{name} did not start:\n{log.read_text()}")
            time.sleep(0.05)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(_STOP_SECONDS)
