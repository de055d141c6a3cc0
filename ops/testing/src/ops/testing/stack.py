"""The complete product, run by the real `up` as a child of the test session."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, Self

import httpx
import psycopg
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.development.identity_provider.tokens import LIFETIME, TokenSigner
from ops.development.identity_provider.users import user_named
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import InstanceRecord, read_record
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.processes import kill_with_children

_BACK_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 60.0
_STREAMED: Final = """
SELECT coalesce(bool_and(flush_lsn >= pg_current_wal_flush_lsn()), false) FROM pg_stat_replication
"""


class RunningProduct(Protocol):
    """What load and checks need of a running product: its addresses, its database and its keys."""

    @property
    def command_address(self) -> str:
        """Origin of the command API, such as `http://localhost:8080`."""

    @property
    def query_address(self) -> str:
        """Origin of the query API."""

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's owner."""

    @property
    def keys(self) -> KeySettings:
        """Settings of the store of encryption keys."""


def instance_environment(**more: str) -> dict[str, str]:
    """Return this process's variables for an instance, which has a key store of its own.

    `FLEETLOG_KEYS` names the test session's store, which is for tests without an instance.
    """
    return {name: value for name, value in os.environ.items() if name != "FLEETLOG_KEYS"} | more


class Stack:
    """One instance on a data folder and a port of its own, which can be killed and started again.

    Attributes:
        address: origin of its gateway, such as `http://localhost:20123`.
        data: its data folder.
        launcher: the process that runs it.
        arguments: further arguments of `up`, from its next start on.
    """

    def __init__(
        self,
        folder: Path,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        frontend: Path | None = None,
    ) -> None:
        """Prepare an instance; `start` runs it.

        Args:
            folder: an empty folder that PostgreSQL's user can enter, for all files.
            arguments: further arguments of `up`.
            environment: the launcher's variables; None: those of `instance_environment`.
            frontend: the built frontend; None: an empty page.
        """
        self.data = folder / "data"
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"
        self.launcher: subprocess.Popen[bytes] | None = None
        self.arguments = list(arguments)
        self._environment = environment
        self._output = folder / "launcher.log"
        self._frontend = frontend or folder / "frontend"
        if frontend is None:
            self._frontend.mkdir()
            (self._frontend / "index.html").write_text("<!doctype html><title>Fleetlog</title>\n")

    def __enter__(self) -> Self:
        """Start the instance."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Run `up` and return when the instance is ready.

        Raises:
            RuntimeError: it did not become ready; the text is its output and the end of its logs.
        """
        begin = self._output.stat().st_size if self._output.exists() else 0
        command = ["up", "--port", str(self.port), "--data", str(self.data), *self.arguments]
        environment = {**self._variables(), FRONTEND_SETTING: str(self._frontend)}
        environment["FLEETLOG_SEAL_SECONDS"] = "1"
        with self._output.open("ab") as output:
            self.launcher = launcher = start_process([*PYTHON, "ops.launcher", *command], environment, output)

        def reported() -> str:
            return self._output.read_text()[begin:]

        with contextlib.suppress(TimeoutError):
            wait_for(lambda: "Fleetlog is ready" in reported() or launcher.poll() is not None, pause=0.02)
        if "Fleetlog is ready" not in reported():
            self.stop()
            logs = "".join(
                f"\n{log.name}:\n{log.read_text(errors='replace')[-2000:]}"
                for log in sorted(DataFolder(self.data).logs.glob("*.log"))
            )
            raise RuntimeError(f"the stack did not start:\n{reported()}{logs}")

    def _variables(self) -> Mapping[str, str]:
        return self._environment or instance_environment()

    def stop(self) -> int:
        """Stop the instance cleanly and return the launcher's exit status."""
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
        """`kill -9` the launcher, all services and their children, as a power cut does, and wait.

        PostgreSQL's children would otherwise still write into a folder that the caller removes.
        """
        pids = [part.pid for part in self.record().processes.values() if part.pid]
        self.kill_launcher()
        kill_with_children(*pids)

    def kill(self, service: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal to one service (`command-api`, `postgres`, …) and return its pid."""
        pid = self.pid(service)
        os.kill(pid, number)
        return pid

    def wait_until_back(self, service: str, former_pid: int) -> None:
        """Wait until a service is ready in another process.

        Raises:
            TimeoutError: it is not after 30 s.
        """

        def is_back() -> bool:
            now = self.record().processes[service]
            return now.pid not in {0, former_pid} and now.state == "ready"

        wait_for(is_back, seconds=_BACK_SECONDS, pause=0.02, failure=lambda: f"{service} is not back")

    def pid(self, service: str) -> int:
        return self.record().processes[service].pid

    def service_address(self, service: str) -> str:
        """Return a service's own origin, which bypasses the gateway."""
        return f"http://127.0.0.1:{self.record().processes[service].port}"

    def dsn(self, role: str) -> str:
        """Return the DSN of a service's database role: `command-api`, `projections` or `query-api`."""
        return self.record().environments[role]["FLEETLOG_DATABASE"]

    @property
    def command_address(self) -> str:
        return self.address

    @property
    def query_address(self) -> str:
        return self.address

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's superuser."""
        secrets = load_or_make(DataFolder(self.data))
        return superuser_dsn(self.record().processes["postgres"].port, secrets.superuser, DATABASE)

    @property
    def keys(self) -> KeySettings:
        """Settings of the store of encryption keys."""
        return KeySettings(keys=SecretStr(self.record().environments["command-api"]["FLEETLOG_KEYS"]))

    @property
    def output(self) -> str:
        """The launcher's output since the first start."""
        return self._output.read_text()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the launcher on this instance's data folder."""
        command = [*PYTHON, "ops.launcher", words[0], "--data", str(self.data), *words[1:]]
        return subprocess.run(command, env=self._variables(), capture_output=True, text=True, check=False)

    def succeed(self, *words: str) -> str:
        """Run another command of the launcher, which must succeed, and return its output."""
        done = self.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def token(self, user: str = "staff", *, lifetime: int = LIFETIME) -> str:
        """Return an access token, signed with the provider's key; neither provider nor gateway need run.

        Args:
            user: a demonstration user: a role, such as `staff`, or a subject.
            lifetime: seconds until the token expires.
        """
        signer = TokenSigner.of(self.record().environments["identity-provider"])
        return signer.access_token(user_named(user), lifetime=lifetime)

    def http(self, token: str | None = None) -> httpx.Client:
        """Return a client with cookies; the token is by default that of a member of staff."""
        return httpx.Client(**self._client_options(token))

    def async_http(self, token: str | None = None, **options: Any) -> httpx.AsyncClient:
        """Return an asynchronous client; see `http`."""
        return httpx.AsyncClient(**self._client_options(token) | options)

    def _client_options(self, token: str | None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token or self.token()}"}
        return {"base_url": self.address, "headers": headers, "timeout": 60, "trust_env": False}

    def wait_until_streamed(self) -> None:
        """Wait until the write-ahead log of all commits has reached the backups."""
        with psycopg.connect(self.owner_dsn, autocommit=True) as connection:
            wait_for(lambda: connection.execute(_STREAMED).fetchone() == (True,))

    def record(self) -> InstanceRecord:
        """Return the launcher's record of the running services."""
        record = read_record(DataFolder(self.data))
        if record is None:
            raise RuntimeError("nothing was started")
        return record


@contextlib.contextmanager
def running_stack(*, arguments: Sequence[str] = ()) -> Iterator[Stack]:
    """Run an instance in a temporary folder, and remove both at the end."""
    with open_folder() as folder, Stack(folder, arguments=arguments) as stack:
        yield stack
