"""Brings a whole instance up on this machine, and keeps it up until it is asked to stop."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Never

from ops.base.process.tasks import running
from ops.launcher import preparing
from ops.launcher.errands import Errands
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import ensure_built
from ops.launcher.gateway.part import METRICS_SETTING, knows_javascript, listen_addresses
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import LAST_PART, PartRecord, Record, read_record
from ops.launcher.instance.secrets import Secrets, load_or_make
from ops.launcher.instance.sign_in import (
    Provider,
    development_provider,
    remember,
    remembered,
    with_permissions,
)
from ops.launcher.postgres.embedded import DATABASE, postgres_part, prepare_cluster
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.processes.leftovers import clear_cluster, end, recorded_processes
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.supervisor import Supervisor, together
from ops.launcher.saying import lost_lines
from ops.launcher.services import (
    DATABASE_SERVICES,
    IDENTITY_PROVIDER,
    RELAY,
    Service,
    service_environment,
    service_part,
)

_LOST_LINES_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Options:
    """What `up` was asked for.

    Attributes:
        port: of the gateway.
        data: the data folder.
        database: DSN of a server of the user's, or None for the embedded one.
        kafka: brokers that the relay publishes to, as `HOST:PORT[,HOST:PORT…]`; None: there is no relay.
        backups: folder that the embedded server's write-ahead log is streamed to, if any.
        provider: the company's identity provider, asked for now, or None for the remembered one.
        development_sign_in: whether a remembered one is forgotten.
    """

    port: int
    data: Path
    database: str | None
    kafka: str | None = None
    backups: Path | None = None
    provider: Provider | None = None
    development_sign_in: bool = False


class RunningInstance:
    """One `up`: from an empty folder to ready, until it is stopped.

    Attributes:
        address: where browsers find it.
        provider: the company's identity provider, known once it is prepared; None: the development one runs.
    """

    def __init__(self, options: Options, *, say: Callable[[str], None]) -> None:
        """Prepare an instance.

        Args:
            options: what was asked for.
            say: prints a line for the user.
        """
        self._options = options
        self._say = say
        self.address = f"http://localhost:{options.port}"
        self._folder = DataFolder(options.data)
        self._recorded_lost = 0
        self._supervisor = Supervisor(self._folder.logs, say=say, on_change=self._record)
        self._environments: dict[str, dict[str, str]] = {}
        self._frontend = Path()
        self._listen: list[str] = []
        self.provider: Provider | None = None
        self._receiver: tuple[Path, int] | None = None
        self._database_services = (*DATABASE_SERVICES, *([RELAY] if options.kafka else []))

    def prepare(self) -> None:
        """Everything that needs no child: the folder, the lock, the port, the frontend.

        Raises:
            LauncherError: something is in the way.
        """
        self._folder.create().lock()
        _end_leftovers(self._folder, self._say)
        if self._options.provider is not None or self._options.development_sign_in:
            remember(self._folder, self._options.provider)
        if (company := remembered(self._folder)) is not None:
            self.provider = with_permissions(company, os.environ)
            if self.provider != company:
                remember(self._folder, self.provider)
        self._listen = listen_addresses(self._options.port)
        if self._options.database is not None and self._options.backups is not None:
            raise LauncherError(
                "back your own server up with its own tools; --backups is for the embedded one"
            )
        self._frontend = ensure_built(self._say)

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Run the product until SIGINT, SIGTERM or, without `nohup`, SIGHUP.

        Args:
            on_ready: called once, when everything answers.

        Raises:
            LauncherError: a part did not start; everything is stopped again then.
        """
        stop_requested = asyncio.Event()
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as `nohup` starts it
            numbers.append(signal.SIGHUP)
        for number in numbers:
            asyncio.get_running_loop().add_signal_handler(number, stop_requested.set)
        ending = asyncio.create_task(stop_requested.wait())
        starting = asyncio.create_task(self._start())
        try:
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                on_ready()
                async with running(self._record_lost_lines):
                    await ending
        finally:
            starting.cancel()
            ending.cancel()
            await asyncio.wait({starting})
            await self._supervisor.stop()

    async def _start(self) -> None:
        async with Errands() as errands:
            if self._options.database is not None:
                await errands.run(preparing.check_database, self._options.database)
            await self._start_parts(errands)

    async def _start_parts(self, errands: Errands) -> None:
        local = () if self.provider else (IDENTITY_PROVIDER,)
        ports = {service.name: free_port() for service in (*local, *self._database_services)}
        provider = self.provider or with_permissions(
            development_provider(self.address, ports[IDENTITY_PROVIDER.name]), os.environ
        )
        if provider.permissions == "everyone":
            self._say("everyone who is signed in may do what staff may")
        places = {name: [f"127.0.0.1:{port}"] for name, port in ports.items()}
        metrics = f"127.0.0.1:{free_port()}" if knows_javascript() else None
        self._environments[LAST_PART] = {} if metrics is None else {METRICS_SETTING: metrics}
        start = partial(self._start_services, ports=ports, provider=provider)
        await together(start(local, dsns={}), self._start_database_services(errands, start))
        gateway = await errands.run(
            preparing.configure_gateway,
            self._folder.gateway,
            self._options.port,
            address=self.address,
            listen=self._listen,
            places={IDENTITY_PROVIDER.name: [], **places},
            frontend=self._frontend,
            provider=provider,
            metrics=metrics,
        )
        await self._supervisor.start([gateway])

    async def _start_services(
        self,
        services: Iterable[Service],
        *,
        ports: Mapping[str, int],
        provider: Provider,
        dsns: Mapping[str, str],
        stopped: bool = False,
    ) -> None:
        parts = []
        for service in services:
            environment = service_environment(
                service,
                self._folder,
                address=self.address,
                provider=provider,
                ports=ports,
                dsns=dsns,
                kafka=self._options.kafka,
            )
            self._environments[service.name] = environment
            parts.append(service_part(service, environment, alive=stopped))
        await self._supervisor.start(parts)

    async def _start_database_services(self, errands: Errands, start: Callable[..., Awaitable[None]]) -> None:
        secrets = load_or_make(self._folder)
        await errands.run(preparing.prepare_keys, self._folder.path)
        owner = self._options.database or await self._start_postgres(errands, secrets)
        dsns, stopped = await errands.run(
            preparing.prepare_database, owner, secrets.roles, self._folder.seals
        )
        if stopped is None:
            await errands.run(preparing.prepare_key_store, owner, self._folder.path)
        else:
            self._say(f"nothing is served, for an operator must decide: {stopped}")
        await start(self._database_services, dsns=dsns, stopped=stopped is not None)
        if self._receiver is not None and stopped is None:
            await self._start_receiver(errands, owner, *self._receiver)

    async def _start_postgres(self, errands: Errands, secrets: Secrets) -> str:
        cluster = await asyncio.to_thread(prepare_cluster, self._folder, secrets.superuser, self._say)
        await asyncio.to_thread(clear_cluster, cluster.data)
        port = free_port()
        self._receiver = (cluster.binaries, port)
        await self._supervisor.start([postgres_part(cluster, port)])
        await errands.run(preparing.make_database, port, secrets.superuser)
        return superuser_dsn(port, secrets.superuser, DATABASE)

    async def _start_receiver(self, errands: Errands, owner: str, binaries: Path, port: int) -> None:
        backups = self._options.backups
        receiver = await errands.run(preparing.prepare_receiver, owner, backups, binaries, port)
        if receiver is not None:
            await self._supervisor.start([receiver])

    def _record(self, parts: dict[str, PartRecord]) -> None:
        record = Record(address=self.address, environments=self._environments, parts=parts)
        record.backups = str(self._options.backups.absolute()) if self._options.backups else None
        record.lost_lines = self._recorded_lost = lost_lines()
        record.save(self._folder)

    async def _record_lost_lines(self) -> Never:
        """Record the launcher's lost log lines for `status` and `doctor`."""
        while True:
            await asyncio.sleep(_LOST_LINES_SECONDS)
            if lost_lines() != self._recorded_lost:
                self._supervisor.record()


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
