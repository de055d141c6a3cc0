"""The complete product, split over processes and started as `compose.yaml` says."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.base.settings import read_secret
from ops.launcher.commands.secrets import make_secrets
from ops.launcher.instance.record import InstanceRecord
from ops.testing.folders import open_folder
from ops.testing.kafka import KafkaBroker
from ops.testing.split.addresses import Addresses
from ops.testing.split.compose import development_variables, read_compose
from ops.testing.split.engine import Engine
from ops.testing.stack import Stack

_WORKER: Final = "worker"
_ROLES: Final = {"projections": _WORKER}
"""Services of the split topology, by the embedded topology's names of their database roles."""


class SplitStack(Stack):
    """The product on a folder of its own; its services are containers, named `SERVICE-NUMBER`.

    Attributes:
        folder: parent of all files.
        secrets: folder of the secrets.
    """

    def __init__(self, folder: Path, *, frontend: Path | None = None) -> None:
        """Prepare the product; `start` runs it.

        Args:
            folder: an empty folder that PostgreSQL's user can enter, for all files.
            frontend: the built frontend; None: one empty page.

        Raises:
            LauncherError: Java or Maven are missing.
        """
        super().__init__(folder)
        self.folder = folder
        self.secrets = folder / "secrets"
        make_secrets(self.secrets)
        compose = read_compose({
            **development_variables(),
            "FLEETLOG_PUBLIC_ADDRESS": self.address,
            "FLEETLOG_ISSUER": f"{self.address}/",
            "FLEETLOG_PUBLISH": f"127.0.0.1:{self.port}",
            "FLEETLOG_SECRETS": str(self.secrets),
            "FLEETLOG_DUPLICATES_ALLOWED": os.environ.get("FLEETLOG_DUPLICATES_ALLOWED", ""),
        })  # fmt: skip
        (folder / "kafka").mkdir()
        broker = KafkaBroker(folder / "kafka")
        chosen = {"edge": self.port, "kafka": int(broker.address.rpartition(":")[2])}
        self.engine = Engine(compose, Addresses(compose, chosen), broker, folder, frontend or self._frontend)
        for number in (1, 2):  # as in the embedded topology
            self.engine.containers[f"{_WORKER}-{number}"].environment["FLEETLOG_SEAL_SECONDS"] = "1"

    def start(self) -> None:
        self.engine.up()

    def stop(self) -> int:
        self.engine.down()
        return 0

    def kill_launcher(self) -> None:
        """Do nothing: there is no launcher."""

    def kill_everything(self) -> None:
        """`kill -9` all containers at once."""
        for container in self.engine.containers.values():
            container.kill()

    def kill(self, service: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Kill a container, or send a signal to its process, and return its pid."""
        if number == signal.SIGKILL:
            return self.engine.first(service).kill()
        pid = self.pid(service)
        os.kill(pid, number)
        return pid

    def wait_until_back(self, service: str, former_pid: int) -> None:
        self.engine.wait_until_back(service, former_pid)

    def pid(self, service: str) -> int:
        process = self.engine.first(service).process
        if process is None:
            raise RuntimeError(f"{service} was never started")
        return process.pid

    def service_address(self, service: str) -> str:
        """Return a container's own origin, which bypasses the gateway."""
        name, _, number = self.engine.first(service).name.rpartition("-")
        return f"http://127.0.0.1:{self.engine.addresses.port(name, int(number))}"

    def dsn(self, role: str) -> str:
        """Return the DSN of a service's database role: `command-api`, `projections` or `query-api`."""
        environment = self.engine.first(_ROLES.get(role, role)).environment
        password = read_secret(Path(environment["FLEETLOG_DATABASE_PASSWORD_FILE"]), role)
        return make_conninfo(environment["FLEETLOG_DATABASE"], password=password)

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's superuser."""
        return self.engine.postgres.owner_dsn

    @property
    def keys(self) -> KeySettings:
        environment = self.engine.first("command-api").environment
        return KeySettings(
            keys=SecretStr(environment["FLEETLOG_KEYS"]),
            keys_password_file=Path(environment["FLEETLOG_KEYS_PASSWORD_FILE"]),
            key_encryption_keys=Path(environment["FLEETLOG_KEY_ENCRYPTION_KEYS"]),
        )

    @property
    def output(self) -> str:
        """The output of all containers."""
        return "".join(container.output for container in self.engine.containers.values())

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the worker or the command API.

        Args:
            words: `projections …`, `audit verify`, `audit export` or `sign-out …`.

        Raises:
            ValueError: the command belongs to the launcher alone.
        """
        match words[0]:
            case "projections" | "audit":
                service, inside = _WORKER, ["projections", *words[1:]]
            case "sign-out":
                service, inside = "command-api", ["command_api", *words]
            case _:
                raise ValueError(f"./fleetlog {words[0]} needs the launcher")
        command, environment = self.engine.inside(service, ["python", "-m", *inside])
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def record(self) -> InstanceRecord:
        """Return the environments of the services."""
        environments = {
            name.removesuffix("-1"): container.environment
            for name, container in self.engine.containers.items()
            if name.endswith("-1") and container.environment
        }
        return InstanceRecord(address=self.address, environments=environments)


@contextlib.contextmanager
def running_split_stack(*, frontend: Path | None = None) -> Iterator[SplitStack]:
    """Run the product in a temporary folder, and remove both at the end.

    Raises:
        LauncherError: Java or Maven are missing.
    """
    with open_folder() as folder:
        stack = SplitStack(folder, frontend=frontend)
        try:
            stack.start()
            yield stack
        finally:
            stack.stop()
