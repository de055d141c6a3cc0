"""Stand-ins for images: our programs, the embedded PostgreSQL, and Kafka from its jars."""

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from ops.base.settings import read_secret
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PROJECT
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import SERVER_ENVIRONMENT, Cluster
from ops.launcher.postgres.server import superuser_dsn
from ops.testing.kafka import KafkaBroker
from ops.testing.split.addresses import Addresses
from ops.testing.split.compose import Service
from ops.testing.split.container import Container

OF_DEBIAN: Final = {"sh": "/bin/sh", "tar": "/bin/tar", "test": "/usr/bin/test"}
"""Paths of programs that every image has."""
_PASSED_ON: Final = ("PATH", "HOME", "FLEETLOG_NGINX", "FLEETLOG_POSTGRES_BIN")


def own_container(
    name: str, service: Service, environment: Mapping[str, str], log: Path, frontend: Path
) -> Container:
    """Return a container of one of our images, which runs the service's command with this Python."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    set_by_image = {"PYTHONUNBUFFERED": "1", "FLEETLOG_FRONTEND_DIST": str(frontend)}
    return Container(
        name,
        own_command(service.command),
        {**passed_on, **set_by_image, **environment},
        log,
        restart=service.restart != "no",
        stop_signal=service.stop_signal,
    )


def own_command(command: list[str]) -> list[str]:
    """Return the command line on this machine for a command of our images."""
    if command[0] == "healthy":
        return [str(PROJECT / "ops" / command[0]), *command[1:]]
    if command[0] != "python":
        raise ValueError(f"our images have no program {command[0]}")
    return [sys.executable, "-P", *command[1:]]


class PostgresContainer(Container):
    """PostgreSQL: a cluster with the secret's password, created by the launcher as POSTGRES_INITDB_ARGS says.

    Attributes:
        owner_dsn: DSN of the superuser, to the file's database.
        maintenance_dsn: DSN of the superuser, to the database `postgres`.
    """

    def __init__(self, name: str, service: Service, addresses: Addresses, folder: Path, log: Path) -> None:
        """Create the cluster, and describe its server."""
        environment = service.environment
        port = addresses.port(name.rpartition("-")[0])
        account = server_account()
        cluster = Cluster(folder, find_binaries(account), account)
        password = read_secret(Path(environment["POSTGRES_PASSWORD_FILE"]), "POSTGRES_PASSWORD_FILE")
        cluster.create(password)
        self._binaries = cluster.binaries
        self.database = environment["POSTGRES_DB"]
        self.owner_dsn = superuser_dsn(port, password, self.database)
        self.maintenance_dsn = superuser_dsn(port, password)
        here = (f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
        program, *settings = service.command
        super().__init__(
            name,
            [
                str(cluster.binaries / program),
                "-D",
                str(cluster.data),
                *settings,
                *(word for setting in here for word in ("-c", setting)),
            ],
            {**SERVER_ENVIRONMENT, "PGPORT": str(port)},
            log,
            stop_signal=service.stop_signal,
            popen_options=account.popen_options(),
        )

    def program(self, name: str) -> str:
        """Return the path of one of the image's programs."""
        return str(self._binaries / name)


class KafkaContainer(Container):
    """Apache Kafka from its jars, configured by `ops.development.kafka` and not by the file."""

    def __init__(self, name: str, broker: KafkaBroker) -> None:
        super().__init__(name, [], {}, broker.folder / "kafka.log")
        self._broker = broker
        self._starting: threading.Thread | None = None
        self._is_up = False

    @property
    def is_running(self) -> bool:
        """Whether the broker serves or is starting."""
        return self._is_up or bool(self._starting and self._starting.is_alive())

    @property
    def serves(self) -> bool:
        return self._is_up

    def keep(self) -> None:
        if self.is_wanted and not self.is_running:
            self.starts += 1
            self._starting = threading.Thread(target=self._run, daemon=True)
            self._starting.start()

    def kill(self) -> int:
        self._broker.kill()
        self._is_up = False
        return self.starts

    def ask_to_end(self) -> None:
        self._broker.stop()
        self._is_up = False

    def wait_until_ended(self, seconds: float) -> None:
        """Do nothing: `ask_to_end` has waited."""

    def _run(self) -> None:
        with suppress(LauncherError):  # the engine retries
            self._broker.start()
            self._is_up = True
