"""Fills the instance: a few commands over HTTP, and copies of the events they made straight into its log.

That is right for an instance that nobody else uses: no service could take a million commands in a minute.
"""

import secrets
from collections.abc import Mapping
from typing import Final

import psycopg

from ops.base.consistency import POSITION_HEADER, LogPosition
from ops.base.entities import entity_type
from ops.development.benchmarks import people
from ops.development.benchmarks.bodies import body
from ops.development.benchmarks.copying import Copying, Varying
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.jobs import PICK_LENGTH, UNIQUE, UNIQUE_LENGTH
from ops.development.benchmarks.measuring import Step
from ops.launcher.errors import LauncherError

ID_PREFIX: Final = "BENCH-"
"""Of the records that are there to be read and changed: `BENCH-000000` and so on."""
_TEMPLATE: Final = "TEMPLATE"


class Filling:
    """Fills an instance; it must be asked for records before it is asked for changes to them."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._marker = secrets.token_hex(UNIQUE_LENGTH)[:UNIQUE_LENGTH]
        self._client = instance.client("command-api")
        self._copying = Copying(instance.keys)

    def add(self, entity: str, count: int, *, first: int = 0) -> None:
        """Register so many, numbered from the first on."""
        position = self._send("POST", entity, body(entity, _TEMPLATE))
        self._copy(position, copies=count, first=first, version=1)
        self._send("DELETE", entity)

    def add_people(self, count: int) -> None:
        """Register so many drivers who differ as people do."""
        position = self._send("POST", "driver", people.template(_TEMPLATE))
        self._copy(position, copies=count, version=1, varying=people.People().person)
        self._send("DELETE", "driver")

    def add_one_by_one(self, entity: str, count: int, *, user: str, reason: str) -> None:
        """Register so many as another user and with a reason; their ids are made for them."""
        headers = {**self._instance.headers(user), "X-Change-Reason": reason}
        for _ in range(count):
            self._send("POST", entity, body(entity), headers=headers)

    def change(self, entity: str, count: int, *, times: int, first: int = 0, version: int = 2) -> None:
        """Change each of some records so many times.

        Args:
            entity: their entity type.
            count: how many records.
            times: how often each.
            first: the number of the first of them.
            version: that its first change makes; 2 where it has not been changed before.
        """
        self._send("POST", entity, body(entity, _TEMPLATE, former=True))
        position = self._send("PUT", entity, body(entity))
        self._copy(position, copies=count, first=first, version=version, times=times)
        self._send("DELETE", entity)

    def wait_until_projected(self, what: str, step: Step, *, vacuum: bool = True) -> None:
        """Wait until all read tables are up with the log.

        Args:
            what: what is being done, to be shown.
            step: shows it.
            vacuum: whether to clean up, too; else autovacuum does it while something is measured.

        Raises:
            LauncherError: nothing moves any more.
        """
        slowest = "SELECT coalesce(min(position), 0) FROM read.positions"
        self._instance.wait(what, lambda: self._instance.ask(slowest), self._instance.events, step)
        if vacuum:
            with psycopg.connect(self._instance.owner_dsn, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")

    def _copy(
        self,
        position: int,
        *,
        copies: int,
        version: int,
        first: int = 0,
        times: int = 1,
        varying: Varying = tuple,
    ) -> None:
        numbers = range(first, first + copies)
        ids = [f"{ID_PREFIX}{number:0{PICK_LENGTH}d}" for number in numbers]
        with psycopg.connect(self._instance.owner_dsn) as connection:
            connection.execute("LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE")
            self._copying.copy(
                connection, position, ids, marker=self._marker, version=version, times=times, varying=varying
            )
            connection.execute("SELECT pg_notify('fleetlog_events', '')")

    def _send(
        self, method: str, entity: str, text: str | None = None, *, headers: Mapping[str, str] | None = None
    ) -> int:
        path = entity_type(entity).path + ("" if method == "POST" else f"/{_TEMPLATE}")
        content = None if text is None else text.replace(UNIQUE, self._marker)
        answer = self._client.request(method, path, content=content, headers=headers)
        position = LogPosition.parse(answer.headers.get(POSITION_HEADER))
        if not answer.is_success or position is None:
            raise LauncherError(f"{method} {path} was answered {answer.status_code}")
        return position.position
