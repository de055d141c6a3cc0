"""A streaming replica of a throw-away PostgreSQL server."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from ops.launcher.postgres.cluster import THROW_AWAY, Cluster
from ops.launcher.postgres.server import run_client
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.postgres import PostgresServer, start_server, stop_server


class ReplicaServer:
    """A read-only replica of every database of its primary."""

    def __init__(self, primary: PostgresServer, folder: Path) -> None:
        """Copy the primary below a folder that its account can enter, and replicate it from then on.

        Raises:
            LauncherError: the primary cannot be copied.
            RuntimeError: the replica does not start.
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
        """Return the replica's DSN for a DSN of the primary."""
        return make_conninfo(dsn, port=self._port)

    def start(self) -> None:
        self._process = start_server(self._cluster, self._port, self._dsn, self._log, THROW_AWAY)

    def stop(self) -> None:
        stop_server(self._process)

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        """Pause the replay of the primary's write-ahead log until the context's end."""
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            state = "SELECT pg_get_wal_replay_pause_state()"
            wait_for(lambda: connection.execute(state).fetchone() == ("paused",))
            try:
                yield
            finally:
                connection.execute("SELECT pg_wal_replay_resume()")


@contextlib.contextmanager
def throw_away_replica(primary: PostgresServer) -> Iterator[ReplicaServer]:
    """Run a replica in a temporary folder, and remove both at the end."""
    with open_folder() as folder:
        replica = ReplicaServer(primary, folder)
        try:
            yield replica
        finally:
            replica.stop()
