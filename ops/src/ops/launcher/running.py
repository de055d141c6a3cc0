"""Brings a whole instance up on this machine, and keeps it up until it is told to end."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ops.launcher.frontend.build import ensure_built
from ops.launcher.gateway.configuration import write_configuration
from ops.launcher.gateway.part import gateway_part, listen_addresses
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.database import check_database, prepare_database
from ops.launcher.instance.record import PartRecord, Record, read_record
from ops.launcher.instance.sealing_key import ensure_sealing_key
from ops.launcher.instance.secrets import Secrets, load_or_make
from ops.launcher.postgres.embedded import DATABASE, postgres_part, prepare_cluster
from ops.launcher.postgres.server import ensure_database, superuser_dsn
from ops.launcher.processes.leftovers import clear_cluster, end, recorded_processes
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.supervisor import Supervisor
from ops.launcher.processes.together import together
from ops.launcher.services import (
    DATABASE_SERVICES,
    IDENTITY_PROVIDER,
    Service,
    service_environment,
    service_part,
    service_ports,
)


@dataclass(frozen=True)
class Options:
    """What `up` was asked for.

    Attributes:
        port: of the gateway.
        data: the data folder.
        database: DSN of a server of the user's, or None for the embedded one.
    """

    port: int
    data: Path
    database: str | None


class RunningInstance:
    """One `up`: from an empty folder to ready, until it is stopped."""

    def __init__(self, options: Options, *, say: Callable[[str], None]) -> None:
        """Prepare an instance.

        Args:
            options: what was asked for.
            say: tells the user a line.
        """
        self._options = options
        self._say = say
        self.address = f"http://localhost:{options.port}"
        self._folder = DataFolder(options.data)
        self._supervisor = Supervisor(self._folder.logs, say=say, on_change=self._record)
        self._environments: dict[str, dict[str, str]] = {}
        self._frontend = Path()
        self._listen: list[str] = []

    def prepare(self) -> None:
        """Everything that needs no child: the folder, the lock, the port, the frontend.

        Raises:
            LauncherError: something is in the way.
        """
        self._folder.create().lock()
        _end_leftovers(self._folder, self._say)
        self._listen = listen_addresses(self._options.port)
        if self._options.database is not None:
            check_database(self._options.database)
        self._frontend = ensure_built(self._say)

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Run the product until SIGINT, SIGTERM or SIGHUP.

        Args:
            on_ready: called once, when everything answers.

        Raises:
            LauncherError: a part did not start; everything is stopped again then.
        """
        told_to_end = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, told_to_end.set)
        ending = asyncio.create_task(told_to_end.wait())
        starting = asyncio.create_task(self._start())
        try:
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                on_ready()
                await ending
        finally:
            starting.cancel()
            ending.cancel()
            await asyncio.wait({starting})
            await self._supervisor.stop()

    async def _start(self) -> None:
        ports = service_ports()
        write_configuration(
            self._folder.gateway,
            address=self.address,
            listen=self._listen,
            upstreams=ports,
            frontend=self._frontend,
        )
        await together(
            self._start_services((IDENTITY_PROVIDER,), ports, {}), self._start_database_services(ports)
        )
        await self._supervisor.start([gateway_part(self._folder.gateway, self._options.port)])

    async def _start_services(
        self, services: Iterable[Service], ports: Mapping[str, int], dsns: Mapping[str, str]
    ) -> None:
        parts = []
        for service in services:
            environment = service_environment(
                service, self._folder, address=self.address, ports=ports, dsns=dsns
            )
            self._environments[service.name] = environment
            parts.append(service_part(service, environment))
        await self._supervisor.start(parts)

    async def _start_database_services(self, ports: Mapping[str, int]) -> None:
        secrets = load_or_make(self._folder)
        ensure_sealing_key(self._folder)
        owner = self._options.database or await self._start_postgres(secrets)
        dsns = await asyncio.to_thread(prepare_database, owner, secrets.roles)
        await self._start_services(DATABASE_SERVICES, ports, dsns)

    async def _start_postgres(self, secrets: Secrets) -> str:
        cluster = await asyncio.to_thread(prepare_cluster, self._folder, secrets.superuser, self._say)
        await asyncio.to_thread(clear_cluster, cluster.data)
        port = free_port()
        await self._supervisor.start([postgres_part(cluster, port, secrets.superuser)])
        await asyncio.to_thread(ensure_database, superuser_dsn(port, secrets.superuser), DATABASE)
        return superuser_dsn(port, secrets.superuser, DATABASE)

    def _record(self, parts: dict[str, PartRecord]) -> None:
        record = Record(address=self.address, environments=self._environments, parts=parts)
        record.save(self._folder)


def forget_postgres_settings() -> None:
    """Drop libpq's environment variables: they are about a user's server, not about ours."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def _end_leftovers(folder: DataFolder, say: Callable[[str], None]) -> None:
    left = recorded_processes(read_record(folder))
    if left:
        say(f"ending {len(left)} processes that a killed launcher left behind")
        end(left)
    folder.record.unlink(missing_ok=True)
