"""Fills the instance: a few commands over HTTP, and copies of the events they made straight into its log.

That is right for an instance that nobody else uses: no service could take a million commands in a minute.
"""

import secrets
import time
from collections.abc import Callable, Mapping
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
# text has the marker, a copy has twelve letters of its own. Each is a microsecond later than the one before:
# at the end of a million that has passed.
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
  split_part(topic, '.', 1) || ':' || %(prefix)s
    || lpad((%(first)s + number %% %(copies)s)::text, %(digits)s, '0'),
  %(version)s + number / %(copies)s,
  topic,
  convert_to(replace(state, %(marker)s, left(md5(random()::text), %(length)s)), 'UTF8'),
  head.moment + number * interval '1 microsecond',
  gen_random_uuid()
FROM original, head, generate_series(0, %(copies)s::integer * %(times)s - 1) AS number
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

    def add_drivers(self, count: int, *, first: int = 0) -> None:
        """Register so many drivers, numbered from the first on."""
        position = self._send("POST", bodies.DRIVERS, bodies.driver("TEMPLATE"))
        self._copy(position, copies=count, first=first, version=1)
        self._send("DELETE", f"{bodies.DRIVERS}/TEMPLATE")

    def add_horses(self, count: int) -> None:
        """Register so many horses."""
        self._copy(self._send("POST", bodies.HORSES, bodies.horse("TEMPLATE")), copies=count, version=1)
        self._send("DELETE", f"{bodies.HORSES}/TEMPLATE")

    def add_locations(self, count: int, *, user: str, reason: str) -> None:
        """Register so many locations, one by one, as another user and with a reason."""
        headers = {"Authorization": f"Bearer {self._instance.token(user)}", "X-Change-Reason": reason}
        for _ in range(count):
            self._send("POST", bodies.LOCATIONS, bodies.location(), headers=headers)

    def change_horses(self, count: int, *, times: int, first: int = 0, version: int = 2) -> None:
        """Change each of some horses so many times.

        Args:
            count: how many horses.
            times: how often each.
            first: the number of the first of them.
            version: that its first change makes; 2 where it has not been changed before.
        """
        self._send("POST", bodies.HORSES, bodies.horse("TEMPLATE").replace("diesel", "petrol"))
        position = self._send("PUT", f"{bodies.HORSES}/TEMPLATE", bodies.horse())
        self._copy(position, copies=count, first=first, version=version, times=times)
        self._send("DELETE", f"{bodies.HORSES}/TEMPLATE")

    def change_drivers(self, count: int, *, times: int, first: int = 0) -> None:
        """Change each of some drivers, not changed before, so many times; see `change_horses`."""
        self._send("POST", bodies.DRIVERS, bodies.driver("TEMPLATE").replace("Bengaluru", "Mysuru"))
        position = self._send("PUT", f"{bodies.DRIVERS}/TEMPLATE", bodies.driver())
        self._copy(position, copies=count, first=first, version=2, times=times)
        self._send("DELETE", f"{bodies.DRIVERS}/TEMPLATE")

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

    def _copy(self, position: int, *, copies: int, version: int, first: int = 0, times: int = 1) -> None:
        parameters = {
            "position": position,
            "copies": copies,
            "first": first,
            "times": times,
            "version": version,
            "prefix": ID_PREFIX,
            "digits": PICK_LENGTH,
            "marker": self._marker,
            "length": UNIQUE_LENGTH,
        }
        with psycopg.connect(self._instance.owner_dsn) as connection:
            connection.execute("LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE")
            connection.execute(_COPY, parameters)
            connection.execute("SELECT pg_notify('fleetlog_events', '')")

    def _send(
        self, method: str, path: str, body: str | None = None, *, headers: Mapping[str, str] | None = None
    ) -> int:
        content = None if body is None else body.replace(UNIQUE, self._marker)
        answer = self._client.request(method, path, content=content, headers=headers)
        if not answer.is_success:
            raise LauncherError(f"{method} {path} was answered {answer.status_code}")
        return int(answer.headers["Fleetlog-Position"].partition(":")[2])
