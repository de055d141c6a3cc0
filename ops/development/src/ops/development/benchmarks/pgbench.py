"""Single-row inserts by PostgreSQL's own pgbench, into a table like the log's: what the server allows."""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ops.development.benchmarks.samples import Sample
from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.server import client_environment
from ops.launcher.programs import last_line

_USUAL_RATE: Final = 4_000
"""Inserts per second, roughly."""

_TABLE: Final = """
CREATE SCHEMA IF NOT EXISTS bench;
CREATE SEQUENCE IF NOT EXISTS bench.positions;
CREATE TABLE IF NOT EXISTS bench.events (LIKE log.events INCLUDING ALL);
ALTER TABLE bench.events ALTER notification_id SET DEFAULT nextval('bench.positions')
"""

_INSERT: Final = """
INSERT INTO bench.events (originator_id, originator_version, topic, state, moment, command_id)
VALUES ('driver:' || gen_random_uuid(), 1, 'driver.registered', decode(repeat('7b', {size}), 'hex'),
  clock_timestamp(), gen_random_uuid());
"""


class SingleRowInserts:
    """Each transaction inserts one event."""

    def __init__(self, dsn: str, *, event_bytes: int) -> None:
        """Make the table, if it is not there.

        Args:
            dsn: of the superuser.
            event_bytes: size of an event's state.
        """
        self._environment = client_environment(dsn)
        self._environment["PGDATABASE"] = str(conninfo_to_dict(dsn)["dbname"])
        self._script = _INSERT.format(size=event_bytes)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(_TABLE)

    def measure(self, connections: int, seconds: float) -> Sample:
        """Insert, for about so long where nothing disturbs, with so many clients.

        Raises:
            LauncherError: pgbench failed.
        """
        # Counted, not timed: its time would begin before it has connected, and may be over by then.
        inserts_per_client = max(1, round(_USUAL_RATE * seconds / connections))
        with tempfile.TemporaryDirectory(prefix="fleetlog-pgbench-") as folder:
            script = Path(folder) / "insert.sql"
            script.write_text(self._script)
            done = subprocess.run(
                [
                    find_binaries(server_account()) / "pgbench", "--no-vacuum", "--protocol=prepared",
                    f"--client={connections}", f"--transactions={inserts_per_client}", f"--file={script}",
                    "--log", f"--log-prefix={folder}/log",
                ],
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
            )  # fmt: skip
            rate = re.search(r"tps = ([0-9.]+)", done.stdout)
            if done.returncode != 0 or rate is None:
                raise LauncherError(f"pgbench failed: {last_line(done.stderr)}")
            latencies = [
                # client, transaction, its duration in microseconds, …
                int(line.split()[2])
                for log in Path(folder).glob("log*")
                for line in log.read_text().splitlines()
            ]
        return Sample(seconds=len(latencies) / float(rate[1]), latencies=latencies)
