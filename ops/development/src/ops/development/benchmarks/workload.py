"""The records of a benchmark instance, and the named requests that are measured."""

import json
import re
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any, Final

from ops.base.http.consistency import POSITION_HEADER
from ops.base.records.entities import entity_type
from ops.development.benchmarks.floor import STATUSES
from ops.development.benchmarks.generator import send
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.load import PICK, POSITION, UNIQUE, Job, Request
from ops.launcher.errors import LauncherError

DRIVERS: Final = entity_type("driver").path
HORSES: Final = entity_type("horse").path
ID_PREFIX: Final = "BENCH-"
HISTORY: Final = 100
"""Number of changes in the history that is read."""
_CONNECTIONS: Final = 32


class Workload:
    """Fills an instance with records and describes requests to it."""

    def __init__(self, instance: Instance, generator: Executor, *, horses: int, drivers: int) -> None:
        """Describe requests to an instance with these numbers of records."""
        self._instance = instance
        self._generator = generator
        self._horses, self._drivers = horses, drivers
        self._headers = instance.headers()

    def fill(self) -> None:
        """Register the records."""
        numbered = f"{ID_PREFIX}{PICK}"
        for path, entity, count in ((DRIVERS, "driver", self._drivers), (HORSES, "horse", self._horses)):
            register = self._command("POST", path, _body(entity, numbered), 201)
            extent = {"connections": _CONNECTIONS, "pick_from": count, "rounds": count}
            self._send(Job(port=0, requests=[register], **extent))
        change = self._command("PUT", f"{HORSES}/{ID_PREFIX}000000", _body("horse"), 200)
        self._send(Job(port=0, requests=[change], rounds=HISTORY - 1))
        self._instance.catch_up(vacuum=True)

    def grow(self, events: int) -> None:
        """Append changes of drivers until the log has at least this many events."""
        if (missing := events - self._instance.events) > 0:
            job = self.jobs()["update"]
            self._send(job.model_copy(update={"connections": _CONNECTIONS, "rounds": missing}))
        self._instance.catch_up(vacuum=True)

    def jobs(self) -> Mapping[str, Job]:
        """Return the measured requests by name."""
        one, new = f"{DRIVERS}/{ID_PREFIX}{PICK}", f"{DRIVERS}/NEW-{UNIQUE}"
        horse = f"{HORSES}/{ID_PREFIX}000000"
        create = self._command("POST", DRIVERS, _body("driver", f"NEW-{UNIQUE}"), 201)
        requests = {
            "read one": [self._get(one)],
            "read one: 304": [self._unchanged(horse)],
            # These two differ only in the record of the access to personal data.
            "read one, recorded": [self._get(horse)],
            "read one, masked": [self._get(horse, self._instance.headers("analyst"))],
            "list of 1,000": [self._get(HORSES)],
            "list of 10,000": [self._get(DRIVERS)],
            "list of 10,000: 304": [self._unchanged(DRIVERS)],
            "page, searched": [self._get(f"{DRIVERS}?q={ID_PREFIX}0000&sort=name,asc&page=0&size=20")],
            f"history of {HISTORY}": [self._get(f"{horse}/history?limit={HISTORY}")],
            "update": [self._command("PUT", one, _body("driver"), 200)],
            "create": [create],
            "create, then read": [create, self._get(new, {POSITION_HEADER: POSITION})],
        }
        return {
            name: Job(port=self._instance.port, requests=each, pick_from=self._drivers)
            for name, each in requests.items()
        }

    def length_of(self, name: str) -> int:
        """Return the number of records that the answer to a request lists; 0: it is not a list."""
        return {"list of 1,000": self._horses, "list of 10,000": self._drivers}.get(name, 0)

    def _get(self, path: str, more: Mapping[str, str] | None = None, status: int = 200) -> Request:
        return Request(method="GET", path=path, headers={**self._headers, **(more or {})}, status=status)

    def _unchanged(self, path: str) -> Request:
        return self._get(path, {"If-None-Match": self._instance.get(path).headers["ETag"]}, 304)

    def _command(self, method: str, path: str, body: str, status: int) -> Request:
        headers = {**self._headers, "Content-Type": "application/json"}
        return Request(method=method, path=path, headers=headers, body=body, status=status)

    def _send(self, job: Job) -> None:
        sample = send(self._generator, job.model_copy(update={"port": self._instance.port}))
        if sample.errors:
            raise LauncherError(f"{sample.errors} requests to {job.requests[0].path} failed")


def _body(entity: str, entity_id: str | None = None) -> str:
    """Return a record like the released example as a JSON template; each rendering is another record."""
    released = entity_type(entity)
    properties = released.schema["properties"]
    details = {
        name: _value(properties[name], value)
        for name, value in released.example.items()
        if name != "id" and properties[name].get("format") != "date-time"
    }
    return json.dumps(details if entity_id is None else {"id": entity_id, **details})


def _value(schema: Mapping[str, Any], example: Any) -> Any:
    form = schema.get("format")
    if form == "email":
        return f"{UNIQUE}@example.com"
    varies = schema["type"] == "string" and "enum" not in schema and form is None
    return f"{example} {UNIQUE}" if varies and re.search(r"\d| ", example) else example


def of_floor(job: Job, port: int, listed: int) -> Job:
    """Return the same requests for the floor server.

    Args:
        listed: number of records that the floor serialises for each answer; 0: it answers a constant.
    """
    query = f"?count={listed}" if listed else ""
    requests = [
        each.model_copy(
            update={"path": each.path.partition("?")[0] + query, "status": STATUSES.get(each.method, 200)}
        )
        for each in job.requests
    ]
    return job.model_copy(update={"port": port, "requests": requests})
