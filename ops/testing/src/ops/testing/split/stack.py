"""The whole product split over processes, started as `compose.yaml` says."""

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
from ops.launcher.instance.record import Record
from ops.testing.folders import open_folder
from ops.testing.kafka import KafkaBroker
from ops.testing.split.addresses import Addresses
from ops.testing.split.compose import development_variables, read_compose
from ops.testing.split.engine import Engine
from ops.testing.stack import Stack

_WORKER: Final = "worker"
_ROLES: Final = {"projections": _WORKER}
"""A service that has the rights by which the embedded topology calls a whole worker."""


class SplitStack(Stack):
    """The product on a folder of its own; its parts are containers, named `SERVICE-NUMBER`.

    Attributes:
        engine: what runs them.
        folder: with all that they write.
        secrets: the folder of their secrets.
    """

    def __init__(self, folder: Path, *, frontend: Path | None = None) -> None:
        """Prepare it; `start` runs it.

        Args:
            folder: an empty folder that PostgreSQL's user can enter; everything lies below it.
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
        })  # fmt: skip
        (folder / "kafka").mkdir()
        broker = KafkaBroker(folder / "kafka")
        chosen = {"edge": self.port, "kafka": int(broker.address.rpartition(":")[2])}
        self.engine = Engine(compose, Addresses(compose, chosen), broker, folder, frontend or self._frontend)
        for number in (1, 2):  # as the embedded one
            self.engine.containers[f"{_WORKER}-{number}"].environment["FLEETLOG_SEAL_SECONDS"] = "1"

    def start(self) -> None:
        """Start everything, and return when all of it is healthy; see `Engine.up`."""
        self.engine.up()

    def stop(self) -> int:
        """End everything cleanly, and return 0; see `Engine.down`."""
        self.engine.down()
        return 0

    def kill_launcher(self) -> None:
        """There is none."""

    def kill_everything(self) -> None:
        """`kill -9` all containers at once."""
        for container in self.engine.containers.values():
            container.kill()

    def kill(self, part: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Kill a container, or send a signal to its process; gives the pid it had."""
        if number == signal.SIGKILL:
            return self.engine.first(part).kill()
        pid = self.pid(part)
        os.kill(pid, number)
        return pid

    def wait_until_back(self, part: str, former_pid: int) -> None:
        """Wait until a container runs in another process and is healthy; see `Engine.wait_until_back`."""
        self.engine.wait_until_back(part, former_pid)

    def pid(self, part: str) -> int:
        """Process id of a container."""
        process = self.engine.first(part).process
        if process is None:
            raise RuntimeError(f"{part} was never started")
        return process.pid

    def part_address(self, part: str) -> str:
        """Where a container answers directly, past the gateway."""
        service, _, number = self.engine.first(part).name.rpartition("-")
        return f"http://127.0.0.1:{self.engine.addresses.port(service, int(number))}"

    def dsn(self, role: str) -> str:
        """DSN of a service's database role: `command-api`, `projections` or `query-api`."""
        environment = self.engine.first(_ROLES.get(role, role)).environment
        password = read_secret(Path(environment["FLEETLOG_DATABASE_PASSWORD_FILE"]), role)
        return make_conninfo(environment["FLEETLOG_DATABASE"], password=password)

    @property
    def owner_dsn(self) -> str:
        """DSN of the database's superuser."""
        return self.engine.postgres.owner_dsn

    @property
    def keys(self) -> KeySettings:
        """Where the keys are that it seals with."""
        environment = self.engine.first("command-api").environment
        return KeySettings(
            keys=SecretStr(environment["FLEETLOG_KEYS"]),
            keys_password_file=Path(environment["FLEETLOG_KEYS_PASSWORD_FILE"]),
            key_encryption_keys=Path(environment["FLEETLOG_KEY_ENCRYPTION_KEYS"]),
        )

    @property
    def output(self) -> str:
        """What all containers have printed so far."""
        return "".join(container.output for container in self.engine.containers.values())

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the worker's or the command API's.

        Args:
            words: `projections …`, `audit verify`, `audit export` or `sign-out …`.

        Raises:
            ValueError: only the launcher has it.
        """
        match words[0]:
            case "projections" | "audit":
                service, inside = _WORKER, ["projections", *words[1:]]
            case "sign-out":
                service, inside = "command-api", ["command_api", *words]
            case _:
                raise ValueError(f"./fleetlog {words[0]} is for what the launcher runs")
        command, environment = self.engine.inside(service, ["python", "-m", *inside])
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def record(self) -> Record:
        """What the services are run with, by service."""
        environments = {
            name.removesuffix("-1"): container.environment
            for name, container in self.engine.containers.items()
            if name.endswith("-1") and container.environment
        }
        return Record(address=self.address, environments=environments)


@contextlib.contextmanager
def running_split_stack(*, frontend: Path | None = None) -> Iterator[SplitStack]:
    """A started one, stopped and removed at the end.

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
