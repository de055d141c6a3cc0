"""Fills the instance: a few commands over HTTP, and copies of the events they made straight into its log.

That is right for an instance that nobody else uses: no service could take a million commands in a minute.
"""

import secrets
import time
from collections.abc import Callable
from typing import Final

import httpx
import psycopg

from ops.launcher.benchmarks import bodies
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import PICK_LENGTH, UNIQUE, UNIQUE_LENGTH
from ops.launcher.errors import LauncherError

ID_PREFIX: Final = "BENCH-"
"""Of the records that are there to be read and changed: `BENCH-000000` and so on."""
_IDLE_SECONDS: Final = 60.0

# Copies an event: `%(copies)s` streams, `%(times)s` events each, from the version `%(version)s` on. Where its
# text has the marker, a copy has twelve letters of its own.
_COPY: Final = """
WITH original AS (
  SELECT topic, convert_from(state, 'UTF8') AS state FROM log.events WHERE notification_id = %(position)s
), head AS (
  SELECT position, greatest(moment, clock_timestamp()) AS moment FROM log.head
)
INSERT INTO log.events
  (notification_id, originator_id, originator_version, topic, state, moment, command_id)
SELECT
  head.position + number + 1,
  split_part(topic, '.', 1) || ':' || %(prefix)s || lpad((number %% %(copies)s)::text, %(digits)s, '0'),
  %(version)s + number / %(copies)s,
  topic,
  convert_to(replace(state, %(marker)s, left(md5(random()::text), %(length)s)), 'UTF8'),
  head.moment,
  gen_random_uuid()
FROM original, head, generate_series(0, %(copies)s * %(times)s - 1) AS number
ORDER BY number
"""


class Filling:
    """Fills an instance; it must be asked for drivers before it is asked for changes to them."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._marker = secrets.token_hex(UNIQUE_LENGTH)[:UNIQUE_LENGTH]
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{instance.port('command-api')}",
            headers={"Authorization": f"Bearer {instance.token()}", "Content-Type": "application/json"},
            timeout=30,
            trust_env=False,
        )

    def add_drivers(self, count: int) -> None:
        """Register so many drivers."""
        self._copy(self._send("POST", bodies.DRIVERS, bodies.driver("TEMPLATE")), copies=count, version=1)
        self._send("DELETE", f"{bodies.DRIVERS}/TEMPLATE")

    def add_horses(self, count: int) -> None:
        """Register so many horses."""
        self._copy(self._send("POST", bodies.HORSES, bodies.horse("TEMPLATE")), copies=count, version=1)
        self._send("DELETE", f"{bodies.HORSES}/TEMPLATE")

    def change_horses(self, count: int, *, times: int) -> None:
        """Change each of the first horses so many times, which has not been changed before."""
        self._send("POST", bodies.HORSES, bodies.horse("TEMPLATE").replace("diesel", "petrol"))
        position = self._send("PUT", f"{bodies.HORSES}/TEMPLATE", bodies.horse())
        self._copy(position, copies=count, version=2, times=times)
        self._send("DELETE", f"{bodies.HORSES}/TEMPLATE")

    def events(self) -> int:
        """How many events the log has."""
        with psycopg.connect(self._instance.owner_dsn) as connection:
            (row,) = connection.execute("SELECT position FROM log.head").fetchall()
            return int(row[0])

    def wait_until_projected(self, report: Callable[[int, int], None]) -> None:
        """Wait until all read tables are up with the log.

        Args:
            report: told how far the slowest is, and how far it has to go.

        Raises:
            LauncherError: nothing moves any more.
        """
        with psycopg.connect(self._instance.owner_dsn, autocommit=True) as connection:
            reached, moved = -1, time.monotonic()
            while True:
                ((head, slowest),) = connection.execute(
                    "SELECT position, (SELECT coalesce(min(position), 0) FROM read.positions) FROM log.head"
                ).fetchall()
                report(slowest, head)
                if slowest >= head:
                    break
                if slowest != reached:
                    reached, moved = slowest, time.monotonic()
                elif time.monotonic() - moved > _IDLE_SECONDS:
                    raise LauncherError(f"a projection does not get beyond position {slowest}")
                time.sleep(0.1)
            connection.execute("VACUUM ANALYZE")  # else autovacuum does it while something is measured

    def _copy(self, position: int, *, copies: int, version: int, times: int = 1) -> None:
        parameters = {
            "position": position,
            "copies": copies,
            "times": times,
            "version": version,
            "prefix": ID_PREFIX,
            "digits": PICK_LENGTH,
            "marker": self._marker,
            "length": UNIQUE_LENGTH,
        }
        with psycopg.connect(self._instance.owner_dsn) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))")
            connection.execute(_COPY, parameters)
            connection.execute("SELECT pg_notify('fleetlog_events', '')")

    def _send(self, method: str, path: str, body: str | None = None) -> int:
        content = None if body is None else body.replace(UNIQUE, self._marker)
        answer = self._client.request(method, path, content=content)
        if not answer.is_success:
            raise LauncherError(f"{method} {path} was answered {answer.status_code}")
        return int(answer.headers["Fleetlog-Position"].partition(":")[2])
