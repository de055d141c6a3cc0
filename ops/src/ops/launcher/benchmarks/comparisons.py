"""What is compared with what, and which ratio is aimed at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import httpx

from ops.base.consistency import POSITION_HEADER
from ops.launcher.benchmarks import bodies
from ops.launcher.benchmarks.bodies import DRIVERS, HORSES
from ops.launcher.benchmarks.filling import ID_PREFIX
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import PICK, POSITION, UNIQUE, Step
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.pgbench import SingleRowInserts
from ops.launcher.benchmarks.subjects import Requests, Subject, Together

EVENT_BYTES: Final = 1000
"""About what a driver's registration takes in the log."""
PACED_ROUNDS: Final = 50
"""Writes per second for `visible-paced`: many for a back-office, and far from what the machine can do."""


@dataclass(frozen=True)
class Aim:
    """What is aimed at; nothing fails where it is missed.

    Attributes:
        ratio: at least so many times the floor's rate.
        p99: at most so many milliseconds.
        rate: at least so many per second.
        no_missed: every read shows what was written before.
        connections: on how many it holds; None: on all.
    """

    ratio: float | None = None
    p99: float | None = None
    rate: float | None = None
    no_missed: bool = False
    connections: int | None = None

    def __str__(self) -> str:
        parts = [
            *([f"{self.ratio:g} x floor"] if self.ratio is not None else []),
            *([f"p99 < {self.p99:g} ms"] if self.p99 is not None else []),
            *([f"{self.rate:,.0f}/s"] if self.rate is not None else []),
            *(["none missed"] if self.no_missed else []),
        ]
        return ", ".join(parts)


@dataclass(frozen=True)
class Comparison:
    """A subject, beside a floor where there is one.

    Attributes:
        name: as `--only` takes it.
        subject: what is measured.
        floor: what the same machine gives at most; None: there is nothing to compare with.
        floor_name: what that is.
        aim: what is aimed at.
    """

    name: str
    subject: Subject
    floor: Subject | None = None
    floor_name: str = ""
    aim: Aim | None = None


AUDIT: Final = "audit"
"""The auditors' questions, all of them; see `auditing`."""

RELAY: Final = "relay"
"""The relay to Kafka; see `relaying`."""

FEED: Final = "feed"
"""The feed: catching up, following, and many who only wait; see `feeding`."""

GROWTH: Final = "growth"
"""What more commands, more events and more of both cost; see `growing`."""

NAMES: Final = (
    "one",
    "one-gateway",
    "one-304",
    "list-1000",
    "list-1000-304",
    "list-10000",
    "list-10000-gzip",
    "list-10000-304",
    "list-gateway",
    "visible",
    "visible-paced",
    "create",
    "create-gateway",
    "create-insert",
    "update",
    "rebuild",
    GROWTH,
    FEED,
    AUDIT,
    RELAY,
)
"""Reads come before writes, so that lists are as long as they are called."""


class Catalogue:
    """Makes the comparisons of one instance."""

    def __init__(
        self, instance: Instance, generator: LoadGenerator, *, short_list: int, long_list: int
    ) -> None:
        """Prepare to make them.

        Args:
            instance: what is measured; it has the records already.
            generator: the load.
            short_list: how many horses there are.
            long_list: how many drivers there are.
        """
        self._generator = generator
        self._short, self._long = short_list, long_list
        self._dsn = instance.owner_dsn
        self._command = instance.port("command-api")
        self._query = instance.port("query-api")
        self._gateway = instance.gateway
        self._floor = instance.floor
        self._headers = {"Authorization": f"Bearer {instance.token()}"}
        self._json = {**self._headers, "Content-Type": "application/json"}
        self._makers: Mapping[str, Callable[[], Comparison]] = {
            "one": lambda: self._one("one", self._query),
            "one-gateway": lambda: self._one("one-gateway", self._gateway),
            "one-304": lambda: self._not_modified("one-304", f"{DRIVERS}/{ID_PREFIX}000000"),
            "list-1000": lambda: self._list("list-1000", HORSES, self._short),
            "list-1000-304": lambda: self._not_modified("list-1000-304", HORSES),
            "list-10000": lambda: self._list("list-10000", DRIVERS, self._long, aim=5),
            "list-10000-gzip": lambda: self._list("list-10000-gzip", DRIVERS, self._long, gzip=True, aim=5),
            "list-10000-304": lambda: self._not_modified("list-10000-304", DRIVERS),
            "list-gateway": lambda: self._list(
                "list-gateway", DRIVERS, self._long, gzip=True, port=self._gateway
            ),
            "visible": lambda: self._visible("visible", None),
            "visible-paced": lambda: self._visible("visible-paced", PACED_ROUNDS),
            "create": lambda: self._create("create", self._command),
            "create-gateway": lambda: self._create("create-gateway", self._gateway),
            "create-insert": self._create_beside_inserts,
            "update": self._update,
        }

    def make(self, name: str) -> Comparison:
        """Make the comparison of a name, but of those that have a module of their own."""
        return self._makers[name]()

    def two_command_apis(self, other: int, second: LoadGenerator) -> Comparison:
        """Make the comparison of two command APIs with one of them alone, by two generators.

        Args:
            other: the port of the second one.
            second: the second generator.
        """

        def subject(*ports: int) -> Subject:
            generators = (self._generator, second)
            return Together(
                [
                    Requests(generator, [self._post(port)])
                    for generator, port in zip(generators, ports, strict=True)
                ]
            )

        return Comparison(
            "growth-apis",
            subject(self._command, other),
            subject(self._command, self._command),
            "one command API, on as many connections",
        )

    def _requests(self, *steps: Step, pick_from: int = 1, rounds_per_second: float | None = None) -> Subject:
        return Requests(self._generator, steps, pick_from=pick_from, rounds_per_second=rounds_per_second)

    def _get(
        self, port: int, path: str, *, headers: Mapping[str, str] | None = None, status: int = 200
    ) -> Step:
        return Step(
            port=port, method="GET", path=path, headers={**self._headers, **(headers or {})}, status=status
        )

    def _post(self, port: int) -> Step:
        return Step(
            port=port,
            method="POST",
            path=DRIVERS,
            headers=self._json,
            body=bodies.driver(f"NEW-{UNIQUE}"),
            status=201,
        )

    def _one(self, name: str, port: int) -> Comparison:
        path = f"{DRIVERS}/{ID_PREFIX}{PICK}"
        return Comparison(
            name,
            self._requests(self._get(port, path), pick_from=self._long),
            self._requests(self._get(self._floor, path)),
            "a constant answer",
        )

    def _not_modified(self, name: str, path: str) -> Comparison:
        answer = httpx.get(
            f"http://127.0.0.1:{self._query}{path}", headers=self._headers, trust_env=False, timeout=60
        )
        known = {"If-None-Match": answer.headers["ETag"]}
        return Comparison(
            name,
            self._requests(self._get(self._query, path, headers=known, status=304)),
            self._requests(self._post(self._floor)),
            "a POST that stores nothing",
            Aim(ratio=1),
        )

    def _list(
        self,
        name: str,
        path: str,
        count: int,
        *,
        gzip: bool = False,
        port: int | None = None,
        aim: float | None = None,
    ) -> Comparison:
        accepts = {"Accept-Encoding": "gzip"} if gzip else {}
        return Comparison(
            name,
            self._requests(self._get(port or self._query, path, headers=accepts)),
            self._requests(self._get(self._floor, f"{path}?count={count}", headers=accepts)),
            "serialised per request",
            Aim(ratio=aim) if aim else None,
        )

    def _visible(self, name: str, rounds_per_second: float | None) -> Comparison:
        position = {POSITION_HEADER: POSITION}
        return Comparison(
            name,
            self._requests(
                self._post(self._command),
                self._get(self._query, f"{DRIVERS}/NEW-{UNIQUE}", headers=position),
                rounds_per_second=rounds_per_second,
            ),
            aim=Aim(p99=20, no_missed=True),
        )

    def _create(self, name: str, port: int) -> Comparison:
        return Comparison(
            name,
            self._requests(self._post(port)),
            self._requests(self._post(self._floor)),
            "a POST that stores nothing",
            Aim(ratio=0.5, connections=32) if port == self._command else None,
        )

    def _create_beside_inserts(self) -> Comparison:
        return Comparison(
            "create-insert",
            self._requests(self._post(self._command)),
            SingleRowInserts(self._dsn, event_bytes=EVENT_BYTES),
            "pgbench's single-row inserts",
        )

    def _update(self) -> Comparison:
        def put(port: int) -> Step:
            path = f"{DRIVERS}/{ID_PREFIX}{PICK}"
            return Step(port=port, method="PUT", path=path, headers=self._json, body=bodies.driver())

        return Comparison(
            "update",
            self._requests(put(self._command), pick_from=self._long),
            self._requests(put(self._floor), pick_from=self._long),
            "a PUT that stores nothing",
            Aim(ratio=0.5, connections=32),
        )


def chosen(only: Sequence[str]) -> list[str]:
    """The names of the comparisons to make, in their order; all where none is given."""
    return [name for name in NAMES if not only or name in only]
