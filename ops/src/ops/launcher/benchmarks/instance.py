"""An instance of the bench's own, on a folder and a port of its own, that ends with it."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.identity_provider.tokens import development_token
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import Record, running_instance
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.part import answers_ok
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.tied import tied_to_parent

_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 60.0
_STREAMS_SETTING: Final = "FLEETLOG_FEED_STREAMS_PER_SUBJECT"
_SUBSCRIBERS: Final = "1000"
"""All with one token, where the feed is measured."""
_HASH_BYTES: Final = 32  # SHA-256


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

    def token(self, user: str = "staff") -> str:
        """An access token of a demonstration user."""
        return development_token(self._record, user)

    def pid(self, part: str) -> int:
        """A part's process id."""
        return self._record.parts[part].pid

    @contextlib.contextmanager
    def second_command_api(self) -> Iterator[int]:
        """Run another command API beside the instance's, and give its port.

        Raises:
            LauncherError: it did not start.
        """
        port = free_port()
        environment = {**self._record.environments["command-api"], "FLEETLOG_PORT": str(port)}
        with _beside("command_api", self._data.path.parent, environment):
            yield port

    @property
    def sealed(self) -> int:
        """How many events of the log have been hashed for its seals."""
        hashes = Path(self._record.environments["projections"]["FLEETLOG_SEALS"]) / "hashes"
        return hashes.stat().st_size // _HASH_BYTES if hashes.exists() else 0

    def command(self, *words: str) -> list[str]:
        """The command line of another command of the launcher on this instance."""
        return [*PYTHON, "ops.launcher", *words, "--data", str(self._data.path)]


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
        with _up(folder, data, gateway, environment or {}):
            of_commands = running_instance(data).environments["command-api"]
            with _beside("command_api.floor", folder, {**of_commands, "FLEETLOG_PORT": str(floor)}):
                yield Instance(data, gateway, floor)
    finally:
        pointer = data.path / "postgres-location"
        if pointer.exists():
            shutil.rmtree(pointer.read_text().strip(), ignore_errors=True)
        shutil.rmtree(folder)


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
def _beside(module: str, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run one more service than the launcher does."""
    port = int(environment["FLEETLOG_PORT"])
    with (
        (folder / f"{module}.log").open("w+") as log,
        _child([*PYTHON, module], environment, log.fileno()) as process,
    ):
        deadline = time.monotonic() + _START_SECONDS
        while not answers_ok(port, "/readyz"):
            if process.poll() is not None or time.monotonic() > deadline:
                log.seek(0)
                raise LauncherError(f"{module} did not start:\n{log.read()}")
            time.sleep(0.05)
        yield


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
