"""Single-row inserts by pgbench into a table like the log's: the upper bound that the database sets."""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ops.development.benchmarks.load import Sample
from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.server import client_environment
from ops.launcher.programs import last_line

_USUAL_RATE: Final = 4_000
"""Inserts per second, roughly."""
_EVENT_BYTES: Final = 1_000
"""Approximate size of a driver's registration in the log."""

_TABLE: Final = """
CREATE SCHEMA IF NOT EXISTS bench;
CREATE SEQUENCE IF NOT EXISTS bench.positions;
CREATE TABLE IF NOT EXISTS bench.events (LIKE log.events INCLUDING ALL);
ALTER TABLE bench.events ALTER notification_id SET DEFAULT nextval('bench.positions')
"""

_INSERT: Final = f"""
INSERT INTO bench.events (originator_id, originator_version, topic, state, moment, command_id)
VALUES ('driver:' || gen_random_uuid(), 1, 'driver.registered', decode(repeat('7b', {_EVENT_BYTES}), 'hex'),
  clock_timestamp(), gen_random_uuid());
"""  # noqa: S608 - a constant


def measure_inserts(dsn: str, connections: int, seconds: float) -> Sample:
    """Insert one event per transaction for about this long on an undisturbed machine."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_TABLE)
    # A count instead of a duration: pgbench's duration includes the time it takes to connect.
    inserts_per_client = max(1, round(_USUAL_RATE * seconds / connections))
    with tempfile.TemporaryDirectory(prefix="fleetlog-pgbench-") as folder:
        script = Path(folder) / "insert.sql"
        script.write_text(_INSERT)
        done = subprocess.run(
            [
                find_binaries(server_account()) / "pgbench", "--no-vacuum", "--protocol=prepared",
                f"--client={connections}", f"--transactions={inserts_per_client}", f"--file={script}",
                "--log", f"--log-prefix={folder}/log",
            ],
            env={**client_environment(dsn), "PGDATABASE": str(conninfo_to_dict(dsn)["dbname"])},
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        rate = re.search(r"tps = ([0-9.]+)", done.stdout)
        if done.returncode != 0 or rate is None:
            raise LauncherError(f"pgbench failed: {last_line(done.stderr)}")
        # columns of a log line: client, transaction, duration in microseconds, …
        logs = [log.read_text().splitlines() for log in Path(folder).glob("log*")]
        latencies = [int(line.split()[2]) for lines in logs for line in lines]
    return Sample(seconds=len(latencies) / float(rate[1]), latencies=latencies)
