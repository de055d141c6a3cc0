"""An instance of the bench's own, on a folder and a port of its own, that ends with it."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, LiteralString

import httpx
import psutil
import psycopg

from ops.base.sealing.stores import NOTHING_SEALED, KeySettings
from ops.development.benchmarks.measuring import Step
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.gateway.configuration import write_configuration
from ops.launcher.gateway.part import nginx_command
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import Record, running_instance
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.keys.of_log import key_settings
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.part import answers_ok
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent
from ops.launcher.signing_in import SignIn
from ops.tamper_evidence.sealed_log import SealedLog

_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 60.0
_STREAMS_SETTING: Final = "FLEETLOG_FEED_STREAMS_PER_SUBJECT"
_SUBSCRIBERS: Final = "1000"
"""All with one token, where the feed is measured."""
_PATIENCE_SECONDS: Final = 60.0
_BARE: Final = [*PYTHON, "ops.development.benchmarks.bare"]


class Instance:
    """A running instance, with the floor beside it.

    Attributes:
        gateway: its gateway's port.
        floor: the floor's port.
    """

    def __init__(self, data: DataFolder, gateway: int, floor: int) -> None:
        self.gateway = gateway
        self.floor = floor
        self._data = data
        self._record: Record = running_instance(data)

    def port(self, part: str) -> int:
        """Where a part answers directly."""
        return self._record.parts[part].port

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's superuser."""
        return superuser_dsn(self.port("postgres"), load_or_make(self._data).superuser, DATABASE)

    def headers(self, user: str = "staff") -> dict[str, str]:
        """The headers of requests of a demonstration user."""
        return {"Authorization": f"Bearer {SignIn(self._record.address).token(user)}"}

    def client(self, part: str, user: str = "staff") -> httpx.Client:
        """A client that asks a part directly, as a demonstration user."""
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port(part)}",
            headers={**self.headers(user), "Content-Type": "application/json"},
            timeout=_PATIENCE_SECONDS,
            trust_env=False,
        )

    def read_all(self, target: str, user: str = "staff") -> Iterator[bytes]:
        """Give what the query API answers, as it comes.

        Raises:
            LauncherError: it refuses.
        """
        with self.client("query-api", user) as client, client.stream("GET", target) as answer:
            if not answer.is_success:
                raise LauncherError(f"{target} was answered {answer.status_code}")
            yield from answer.iter_raw()

    def ask(self, query: LiteralString, *values: object) -> Any:
        """Ask the database for one value."""
        with psycopg.connect(self.owner_dsn) as connection:
            ((value,),) = connection.execute(query, values).fetchall()
        return value

    def copy(self, statement: LiteralString) -> Iterator[bytes]:
        """Give what a COPY gives."""
        with (
            psycopg.connect(self.owner_dsn) as connection,
            connection.cursor() as cursor,
            cursor.copy(statement) as copy,
        ):
            yield from map(bytes, copy)

    @property
    def events(self) -> int:
        """How many events the log has."""
        return int(self.ask("SELECT position FROM log.head"))

    def process(self, part: str) -> psutil.Process:
        """A part's process."""
        return psutil.Process(self._record.parts[part].pid)

    @contextlib.contextmanager
    def second_command_api(self) -> Iterator[int]:
        """Run another command API beside the instance's, and give its port.

        Raises:
            LauncherError: it did not start.
        """
        port = free_port()
        environment = {**self._record.environments["command-api"], "FLEETLOG_PORT": str(port)}
        with _beside([*PYTHON, "command_api"], self._data.path.parent, environment):
            yield port

    @property
    def keys(self) -> KeySettings:
        """Where its keys are, if it has any."""
        kept = self._record.environments["command-api"]["FLEETLOG_KEYS"]
        return key_settings(None if kept == NOTHING_SEALED else Path(kept))

    @property
    def sealed(self) -> int:
        """How many events of the log have been hashed for its seals."""
        return SealedLog(Path(self._record.environments["projections"]["FLEETLOG_SEALS"])).hashed

    def run(self, *words: str) -> tuple[float, str]:
        """Run another command of the launcher on this instance; returns the seconds, and what it printed.

        Raises:
            LauncherError: it failed.
        """
        command = [*PYTHON, "ops.launcher", *words, "--data", str(self._data.path)]
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - began
        if done.returncode != 0:
            raise LauncherError(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        return seconds, done.stdout

    def wait(self, what: str, reached: Callable[[], int], wanted: int, step: Step) -> None:
        """Wait until something has come so far.

        Args:
            what: what is being done, to be shown.
            reached: tells how far it is.
            wanted: how far it has to go.
            step: shows progress.

        Raises:
            LauncherError: nothing moves any more.
        """
        last, moved = -1, time.monotonic()
        while (now := reached()) < wanted:
            step(what, now, wanted)
            if now != last:
                last, moved = now, time.monotonic()
            elif time.monotonic() - moved > _PATIENCE_SECONDS:
                raise LauncherError(f"{what}: nothing gets beyond {now}")
            time.sleep(0.1)


@contextlib.contextmanager
def instance_of_our_own(environment: Mapping[str, str] | None = None) -> Iterator[Instance]:
    """Bring an instance and the floor up, and take them down at the end.

    Args:
        environment: settings of the instance.

    Raises:
        LauncherError: one of them did not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="fleetlog-bench-"))
    folder.chmod(0o711)  # PostgreSQL's user must pass through root's
    data = DataFolder(folder / "data")
    gateway, floor = free_port(), free_port()
    try:
        with (
            _up(folder, data, gateway, environment or {}),
            _beside(_BARE, folder, {"FLEETLOG_PORT": str(floor)}),
        ):
            yield Instance(data, gateway, floor)
    finally:
        pointer = data.path / "postgres-location"
        if pointer.exists():
            shutil.rmtree(pointer.read_text().strip(), ignore_errors=True)
        shutil.rmtree(folder)


@contextlib.contextmanager
def bare_behind_gateway() -> Iterator[tuple[int, dict[str, psutil.Process]]]:
    """Run `bare` behind a gateway of its own, and give that one's port and both processes.

    Raises:
        LauncherError: one of them did not start.
    """
    bare, port = free_port(), free_port()
    with tempfile.TemporaryDirectory(prefix="fleetlog-bench-") as name:
        folder = Path(name)
        write_configuration(
            folder,
            address=f"http://127.0.0.1:{port}",
            listen=[f"127.0.0.1:{port}"],
            upstreams={
                "command-api": [f"127.0.0.1:{bare}"],
                "query-api": [f"127.0.0.1:{bare}"],
                "identity-provider": [],
            },
            frontend=folder,
        )
        at, behind = {"FLEETLOG_PORT": str(bare)}, {"FLEETLOG_PORT": str(port)}
        with (
            _beside(_BARE, folder, at) as server,
            _beside(nginx_command(folder), folder, behind, "/config.json") as gateway,
        ):
            yield port, {"bare": psutil.Process(server.pid), "gateway": psutil.Process(gateway.pid)}


@contextlib.contextmanager
def _up(folder: Path, data: DataFolder, port: int, environment: Mapping[str, str]) -> Iterator[None]:
    pages = folder / "pages"  # in the place of the frontend, which is not measured here
    pages.mkdir()
    (pages / "index.html").write_text("<!doctype html><title>Fleetlog</title>\n")
    settings = {_STREAMS_SETTING: _SUBSCRIBERS, **environment, FRONTEND_SETTING: str(pages)}
    words = ["up", "--port", str(port), "--data", str(data.path)]
    with (
        (folder / "up.log").open("w+") as log,
        _child([*PYTHON, "ops.launcher", *words], settings, log.fileno()) as launcher,
    ):
        if launcher.stdout is None or not launcher.stdout.readline():  # its one line tells that it is ready
            log.seek(0)
            raise LauncherError(f"the instance did not start:\n{log.read()}")
        yield


@contextlib.contextmanager
def _beside(
    command: list[str], folder: Path, environment: dict[str, str], ready: str = "/readyz"
) -> Iterator[subprocess.Popen[bytes]]:
    """Run one more service than the launcher does."""
    port, name = int(environment["FLEETLOG_PORT"]), Path(command[-1]).name
    with (
        (folder / f"{name}.log").open("w+") as log,
        _child(command, environment, log.fileno()) as process,
    ):
        deadline = time.monotonic() + _START_SECONDS
        while not answers_ok(port, ready):
            if process.poll() is not None or time.monotonic() > deadline:
                log.seek(0)
                raise LauncherError(f"{name} did not start:\n{log.read()}")
            time.sleep(0.05)
        yield process


@contextlib.contextmanager
def _child(command: list[str], environment: dict[str, str], log: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        tied_to_parent(command, signal.SIGTERM),
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,  # Ctrl-C is for us; what we have started ends in its order
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
