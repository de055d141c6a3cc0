"""A database cluster on disk."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import Account
from ops.launcher.postgres.binaries import server_version
from ops.launcher.programs import run_silently

SUPERUSER = "fleetlog"
SERVER_ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"}
"""The server's complete environment, which is independent of this process's."""

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
THROW_AWAY = {"fsync": "off", "full_page_writes": "off"}

_POLL_SECONDS = 0.1
_END_SECONDS = 120.0

# Users' data must not reach the server's log: no statements, no parameters, no DETAIL lines.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # Ends the sessions, and locks, of unreachable clients after a minute instead of hours.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}
# Without PostgreSQL 18's I/O workers: on few processors, with data in the page cache, a search for two
# letters among a million drivers takes 240 ms instead of 320 (95th percentile).
_SYNC_IO = {"io_method": "sync"}


@dataclass(frozen=True)
class Cluster:
    """A database cluster.

    Attributes:
        folder: contains the cluster and belongs to the account.
        account: runs them.
    """

    folder: Path
    binaries: Path
    account: Account

    @property
    def data(self) -> Path:
        """The cluster's data directory (PGDATA)."""
        return self.folder / "cluster"

    @property
    def version(self) -> str:
        """The major version of the data, such as `18`."""
        return (self.data / "PG_VERSION").read_text().strip()

    def create(self, password: str) -> None:
        """Create the cluster, unless it exists, with the superuser's password."""
        if self.data.is_dir():
            if self.version != (available := server_version(self.binaries)):
                raise LauncherError(
                    f"the data in {self.data} belongs to PostgreSQL {self.version},"
                    f" the programs are {available}"
                )
            return
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.account.own(self.folder)
        password_file = self.folder / "password"
        password_file.touch(mode=0o600)
        self.account.own(password_file)
        password_file.write_text(password)
        unfinished = self.folder / "unfinished"
        self._as_account(["rm", "-rf", "--", unfinished])
        try:
            self._as_account([
                self.binaries / "initdb", "--pgdata", unfinished, f"--username={SUPERUSER}",
                "--auth=scram-sha-256", f"--pwfile={password_file}", "--encoding=UTF8", "--locale=C",
                "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
            ])  # fmt: skip
        finally:
            password_file.unlink()
        unfinished.rename(self.data)

    def wait_for_server_end(self) -> None:
        """Wait for the server of a killed command, which ends by itself but writes until then."""
        deadline = time.monotonic() + _END_SECONDS
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            while time.monotonic() < deadline:
                os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), 0)
                time.sleep(_POLL_SECONDS)

    def command(self, port: int, settings: dict[str, str]) -> list[str]:
        """Return the command line that runs the server in the foreground.

        Args:
            port: TCP port on 127.0.0.1.
            settings: `DURABLE` or `THROW_AWAY`, and others.
        """
        io_method = _SYNC_IO if int(self.version) >= 18 else {}
        every = {**_SETTINGS, **io_method, "port": str(port), **settings}
        options = [f"{name}={value}" for name, value in every.items()]
        return [
            str(self.binaries / "postgres"),
            "-D",
            str(self.data),
            *(word for option in options for word in ("-c", option)),
        ]

    def _as_account(self, command: list[str | Path]) -> None:
        failed = f"{Path(command[0]).name} failed"
        run_silently(command, failed, environment=SERVER_ENVIRONMENT, cwd="/", **self.account.popen_options())
