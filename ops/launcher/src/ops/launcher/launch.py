"""One run of `up`: starts an instance on this machine and supervises it until it is stopped."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Never

from ops.base.process.tasks import running
from ops.launcher.backups.acceptance import stop_if_sealed_beyond
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.wal_receiver import prepare_slot, receiver_spec
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import ensure_built
from ops.launcher.gateway.configuration import write_configuration
from ops.launcher.gateway.process import METRICS_SETTING, gateway_spec, knows_javascript, listen_addresses
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.database import check_database
from ops.launcher.instance.record import LAST_PROCESS, InstanceRecord, ProcessRecord, read_record
from ops.launcher.instance.sealing_key import ensure_sealing_key
from ops.launcher.instance.secrets import ensure_pseudonym_key, load_or_make
from ops.launcher.instance.sign_in import (
    Provider,
    development_provider,
    load_provider,
    save_provider,
    with_settings,
)
from ops.launcher.keys.binding import bind_key_store
from ops.launcher.messages import lost_lines, notify
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.embedded import DATABASE, postgres_spec, prepare_cluster
from ops.launcher.postgres.roles import ensure_login_roles
from ops.launcher.postgres.server import ensure_database, superuser_dsn
from ops.launcher.processes.orphans import clear_cluster, recorded_processes, terminate
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.supervisor import Supervisor, together
from ops.launcher.services import (
    DATABASE_SERVICES,
    IDENTITY_PROVIDER,
    RELAY,
    ServiceDefinition,
    service_environment,
    service_spec,
)

_LOST_LINES_SECONDS: Final = 5.0


class Launch:
    """Starts an instance, supervises its processes and stops them."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Take the arguments of `up`; `provider` is a company's identity provider, None the saved one."""
        self._options = options
        self._address = f"http://localhost:{options.port}"
        self._company: Provider | None = None
        self._folder = DataFolder(options.data)
        self._supervisor = Supervisor(self._folder.logs, notify=notify, on_change=self._record)
        self._environments: dict[str, dict[str, str]] = {}
        self._recorded_lost = 0
        self._frontend = Path()
        self._listen: list[str] = []
        self._database_services = (*DATABASE_SERVICES, *([RELAY] if options.kafka else []))

    def prepare(self) -> None:
        """Lock the data folder, end orphaned processes, load the provider, and build the frontend."""
        self._folder.create().lock()
        if orphans := recorded_processes(read_record(self._folder)):
            notify(f"ending {len(orphans)} processes that a killed launcher left behind")
            terminate(orphans)
        self._folder.record.unlink(missing_ok=True)
        if self._options.provider is not None or self._options.development_sign_in:
            save_provider(self._folder, self._options.provider)
        if (company := load_provider(self._folder)) is not None:
            self._company = with_settings(company, os.environ)
            if self._company != company:
                save_provider(self._folder, self._company)
        self._listen = listen_addresses(self._options.port)
        if self._options.database is not None and self._options.backups is not None:
            raise LauncherError(
                "--backups is for the embedded server: back up your own server with its own tools"
            )
        self._frontend = ensure_built()

    async def run(self) -> None:
        """Run the instance until SIGINT, SIGTERM or, without `nohup`, SIGHUP; report when it is ready.

        Raises:
            LauncherError: a process did not start; the others have been stopped.
        """
        stop_requested = asyncio.Event()
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # `nohup` ignores it
            numbers.append(signal.SIGHUP)
        for number in numbers:
            asyncio.get_running_loop().add_signal_handler(number, stop_requested.set)
        ending = asyncio.create_task(stop_requested.wait())
        starting = asyncio.create_task(self._start())
        try:
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                self._report_ready()
                async with running(self._record_lost_lines):
                    await ending
        finally:
            starting.cancel()
            ending.cancel()
            await asyncio.wait({starting})
            await self._supervisor.stop()

    async def _start(self) -> None:
        local = () if self._company else (IDENTITY_PROVIDER,)
        ports = {service.name: free_port() for service in (*local, *self._database_services)}
        provider = self._company or with_settings(
            development_provider(self._address, ports[IDENTITY_PROVIDER.name]), os.environ
        )
        if provider.permissions == "everyone":
            notify("every signed-in user has the permissions of staff")
        metrics = f"127.0.0.1:{free_port()}" if knows_javascript() else None
        self._environments[LAST_PROCESS] = {} if metrics is None else {METRICS_SETTING: metrics}

        async def start(
            services: Iterable[ServiceDefinition], dsns: dict[str, str], *, only_alive: bool = False
        ) -> None:
            for service in services:
                self._environments[service.name] = service_environment(
                    service,
                    self._folder,
                    address=self._address,
                    provider=provider,
                    ports=ports,
                    dsns=dsns,
                    kafka=self._options.kafka,
                )
            await self._supervisor.start(
                service_spec(service, self._environments[service.name], only_alive=only_alive)
                for service in services
            )

        if self._options.database is not None:
            await asyncio.to_thread(check_database, self._options.database)
        await together(start(local, {}), self._start_database_services(start))
        write_configuration(
            self._folder.gateway,
            address=self._address,
            listen=self._listen,
            upstreams={
                IDENTITY_PROVIDER.name: [],
                **{name: [f"127.0.0.1:{port}"] for name, port in ports.items()},
            },
            frontend=self._frontend,
            provider=provider,
            metrics=metrics,
        )
        await self._supervisor.start([gateway_spec(self._folder.gateway, self._options.port)])

    async def _start_database_services(self, start: Callable[..., Any]) -> None:
        secrets = load_or_make(self._folder)
        owner, embedded = self._options.database, None
        if owner is None:
            cluster = await asyncio.to_thread(prepare_cluster, self._folder, secrets.superuser)
            await asyncio.to_thread(clear_cluster, cluster.data)
            embedded = cluster.binaries, free_port()
            await self._supervisor.start([postgres_spec(cluster, embedded[1])])
            maintenance = superuser_dsn(embedded[1], secrets.superuser)
            await asyncio.to_thread(ensure_database, maintenance, DATABASE)
            owner = superuser_dsn(embedded[1], secrets.superuser, DATABASE)
        dsns, stopped = await asyncio.to_thread(self._prepare_database, owner, secrets.roles)
        if stopped is not None:
            notify(f"requests are refused until an operator decides: {stopped}")
        await start(self._database_services, dsns, only_alive=stopped is not None)
        if embedded is not None and stopped is None:
            backups = BackupFolder(self._options.backups) if self._options.backups else None
            await asyncio.to_thread(prepare_slot, owner, backups, notify)
            if backups is not None:
                await self._supervisor.start([receiver_spec(*embedded, owner, backups)])

    def _prepare_database(self, owner: str, passwords: dict[str, str]) -> tuple[dict[str, str], str | None]:
        """Migrate the database, and check that it is not older than its seals and that its keys belong to it.

        Seals, pseudonyms and encryption get their keys on the first start.

        Returns:
            The services' DSNs by role, and why an operator must decide before the log is served, if so.
        """
        ensure_sealing_key(self._folder)
        ensure_pseudonym_key(self._folder)
        migrate(owner)
        dsns = ensure_login_roles(owner, passwords)
        if (stopped := stop_if_sealed_beyond(owner, self._folder.seals)) is None:
            bind_key_store(owner, self._folder)
        return dsns, stopped

    def _report_ready(self) -> None:
        ending = "Ctrl-C stops it" if sys.stdin.isatty() else "./fleetlog down stops it"
        how = f"at {self._company.issuer}" if self._company else "as any listed user, without a password"
        with contextlib.suppress(OSError):  # the product runs even if its output is closed
            print(f"Fleetlog is ready: {self._address} (sign in {how}; {ending})", flush=True)

    def _record(self, processes: dict[str, ProcessRecord]) -> None:
        self._recorded_lost = lost_lines()
        InstanceRecord(
            address=self._address,
            environments=self._environments,
            processes=processes,
            backups=str(self._options.backups.absolute()) if self._options.backups else None,
            lost_lines=self._recorded_lost,
        ).save(self._folder)

    async def _record_lost_lines(self) -> Never:
        """Record the number of the launcher's lost log lines, for `status` and `doctor`."""
        while True:
            await asyncio.sleep(_LOST_LINES_SECONDS)
            if lost_lines() != self._recorded_lost:
                self._supervisor.record()
