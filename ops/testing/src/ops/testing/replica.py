"""A streaming replica of a throw-away PostgreSQL server."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from ops.launcher.postgres.cluster import THROW_AWAY, Cluster
from ops.launcher.postgres.server import answers, run_client
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent
from ops.testing.folders import open_folder
from ops.testing.postgres import PostgresServer

_START_SECONDS: Final = 60.0


class ReplicaServer:
    """A replica: it has every database of its primary, and takes no writes."""

    def __init__(self, primary: PostgresServer, folder: Path) -> None:
        """Copy the primary below a folder that its account can enter, and follow it from then on.

        Raises:
            LauncherError: it cannot be copied.
            RuntimeError: the copy does not start.
        """
        self._cluster = Cluster(folder / "postgres", primary.cluster.binaries, primary.cluster.account)
        self._cluster.folder.mkdir(mode=0o700)
        self._port = free_port()
        self._dsn = self.at(primary.dsn)
        program, data = self._cluster.binaries / "pg_basebackup", f"--pgdata={self._cluster.data}"
        run_client([program, data, "--write-recovery-conf", "--checkpoint=fast"], primary.clients())
        for path in (self._cluster.folder, *self._cluster.folder.rglob("*")):
            self._cluster.account.own(path)
        self._log = folder / "replica.log"
        self.start()

    def at(self, dsn: str) -> str:
        """Return where on the replica a DSN of the primary leads to."""
        return make_conninfo(dsn, port=self._port)

    def start(self) -> None:
        """Run it, and return when it can be read from."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                tied_to_parent(self._cluster.command(self._port, THROW_AWAY), signal.SIGQUIT),
                cwd="/",
                env=self._cluster.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._cluster.account.popen_options(),
            )
        deadline = time.monotonic() + _START_SECONDS
        while not answers(self._dsn):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the replica did not start: {self._log.read_text()[-2000:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it at once."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=60)

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        """Apply nothing of what the primary sends, until the context's end."""
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            while connection.execute("SELECT pg_get_wal_replay_pause_state()").fetchone() != ("paused",):
                time.sleep(0.01)
            try:
                yield
            finally:
                connection.execute("SELECT pg_wal_replay_resume()")


@contextlib.contextmanager
def throw_away_replica(primary: PostgresServer) -> Iterator[ReplicaServer]:
    """A replica in a temporary folder, which is removed at the end."""
    with open_folder() as folder:
        replica = ReplicaServer(primary, folder)
        try:
            yield replica
        finally:
            replica.stop()
