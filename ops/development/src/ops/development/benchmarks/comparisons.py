"""What is compared with what, and which ratio is aimed at."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ops.base.consistency import POSITION_HEADER
from ops.development.benchmarks.bodies import DRIVERS, HORSES, body
from ops.development.benchmarks.filling import ID_PREFIX
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.jobs import PICK, POSITION, UNIQUE, Step
from ops.development.benchmarks.measuring import Aim, Comparison
from ops.development.benchmarks.pgbench import SingleRowInserts
from ops.development.benchmarks.subjects import LoadGenerator, Requests, Subject, Together

EVENT_BYTES: Final = 1000
"""About what a driver's registration takes in the log."""
PACED_ROUNDS: Final = 50
"""Writes per second for `visible-paced`: many for a back-office, and far from what the machine can do."""

REBUILD: Final = "rebuild"
"""The rebuilding of one read table; its rate is that of the events of the whole log."""

AUDIT: Final = "audit"
"""The auditors' questions, all of them; see `auditing`."""

RELAY: Final = "relay"
"""The relay to Kafka; see `relaying`."""

FEED: Final = "feed"
"""The feed: catching up, following, and many who only wait; see `feeding`."""

GROWTH: Final = "growth"
"""What more commands, more events and more of both cost; see `growing`."""

COST: Final = "cost"
"""What requests cost, by process; see `costing`."""

LISTS: Final = "lists"
"""What a list answers that is too long to be loaded whole; see `listing`."""

SEALING: Final = "sealing"
"""What sealing costs; see `sealed`."""

_BARE: Final = "bare ASGI"


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
        self._instance = instance
        self._generator = generator
        self._counts = {HORSES: short_list, DRIVERS: long_list}
        self._command = instance.port("command-api")
        self._query = instance.port("query-api")
        self._headers = instance.headers()

    def make(self, name: str) -> Comparison:
        """Make the comparison of a name, but of those that have a module of their own."""
        return _MAKERS[name](self, name)

    def two_command_apis(self, other: int, second: LoadGenerator) -> Comparison:
        """Make the comparison of two command APIs with one of them alone, by two generators.

        Args:
            other: the port of the second one.
            second: the second generator.
        """

        def subject(port: int) -> Subject:
            both = ((self._generator, self._command), (second, port))
            return Together([Requests(generator, [self._post(each)]) for generator, each in both])

        alone = "one command API, on as many connections"
        return Comparison("growth-apis", subject(other), subject(self._command), alone)

    def get(
        self, port: int, path: str, headers: Mapping[str, str] | None = None, *, status: int = 200
    ) -> Step:
        """Describe a query."""
        more = {**self._headers, **(headers or {})}
        return Step(port=port, method="GET", path=path, headers=more, status=status)

    def requests(self, *steps: Step, pick_from: int = 1, rounds_per_second: float | None = None) -> Requests:
        """Describe rounds of requests; see `Requests`."""
        return Requests(self._generator, steps, pick_from, rounds_per_second)

    def _command_step(self, method: str, port: int, path: str, text: str, status: int) -> Step:
        headers = {**self._headers, "Content-Type": "application/json"}
        return Step(port=port, method=method, path=path, headers=headers, body=text, status=status)

    def _post(self, port: int) -> Step:
        return self._command_step("POST", port, DRIVERS, body("driver", f"NEW-{UNIQUE}"), 201)

    def _bare(self) -> Requests:
        return self.requests(self._post(self._instance.floor))

    def one(self, name: str, *, gateway: bool = False) -> Comparison:
        """A record."""
        path = f"{DRIVERS}/{ID_PREFIX}{PICK}"
        port = self._instance.gateway if gateway else self._query
        subject = self.requests(self.get(port, path), pick_from=self._counts[DRIVERS])
        return Comparison(name, subject, self.requests(self.get(self._instance.floor, path)), _BARE)

    def not_modified(self, name: str, path: str) -> Comparison:
        """What a client has already."""
        with self._instance.client("query-api") as client:
            tag = client.get(path).headers["ETag"]
        subject = self.requests(self.get(self._query, path, {"If-None-Match": tag}, status=304))
        return Comparison(name, subject, self._bare(), _BARE)

    def list(
        self, name: str, path: str, *, gzip: bool = False, gateway: bool = False, aim: Aim | None = None
    ) -> Comparison:
        """A whole list."""
        accepts = {"Accept-Encoding": "gzip"} if gzip else {}
        port = self._instance.gateway if gateway else self._query
        floor = self.get(self._instance.floor, f"{path}?count={self._counts[path]}", accepts)
        subject = self.requests(self.get(port, path, accepts))
        return Comparison(name, subject, self.requests(floor), "serialised per request", aim)

    def visible(self, name: str, rounds_per_second: float | None = None) -> Comparison:
        """A write, until it is seen."""
        seen = self.get(self._query, f"{DRIVERS}/NEW-{UNIQUE}", {POSITION_HEADER: POSITION})
        subject = self.requests(self._post(self._command), seen, rounds_per_second=rounds_per_second)
        return Comparison(name, subject, aim=Aim(p99=20, no_missed=True))

    def create(self, name: str) -> Comparison:
        """A registration."""
        return Comparison(name, self.requests(self._post(self._command)), self._bare(), _BARE)

    def create_by_gateway(self, name: str) -> Comparison:
        """A registration as browsers send it."""
        subject = self.requests(self._post(self._instance.gateway))
        return Comparison(name, subject, self._bare(), _BARE)

    def create_beside_inserts(self, name: str) -> Comparison:
        """A registration, beside what the database allows."""
        inserts = SingleRowInserts(self._instance.owner_dsn, event_bytes=EVENT_BYTES)
        return Comparison(
            name, self.requests(self._post(self._command)), inserts, "pgbench's single-row inserts"
        )

    def update(self, name: str) -> Comparison:
        """A change."""

        def put(port: int) -> Requests:
            path = f"{DRIVERS}/{ID_PREFIX}{PICK}"
            step = self._command_step("PUT", port, path, body("driver"), 200)
            return self.requests(step, pick_from=self._counts[DRIVERS])

        return Comparison(name, put(self._command), put(self._instance.floor), _BARE)


_FIVE_TIMES: Final = Aim(ratio=5)
_MAKERS: Final[Mapping[str, Callable[[Catalogue, str], Comparison]]] = {
    "one": Catalogue.one,
    "one-gateway": lambda make, name: make.one(name, gateway=True),
    "one-304": lambda make, name: make.not_modified(name, f"{DRIVERS}/{ID_PREFIX}000000"),
    "list-1000": lambda make, name: make.list(name, HORSES),
    "list-1000-304": lambda make, name: make.not_modified(name, HORSES),
    "list-10000": lambda make, name: make.list(name, DRIVERS, aim=_FIVE_TIMES),
    "list-10000-gzip": lambda make, name: make.list(name, DRIVERS, gzip=True, aim=_FIVE_TIMES),
    "list-10000-304": lambda make, name: make.not_modified(name, DRIVERS),
    "list-gateway": lambda make, name: make.list(name, DRIVERS, gzip=True, gateway=True),
    "visible": Catalogue.visible,
    "visible-paced": lambda make, name: make.visible(name, PACED_ROUNDS),
    "create": Catalogue.create,
    "create-gateway": Catalogue.create_by_gateway,
    "create-insert": Catalogue.create_beside_inserts,
    "update": Catalogue.update,
}
NAMES: Final = (COST, SEALING, *_MAKERS, REBUILD, GROWTH, FEED, AUDIT, LISTS, RELAY)
"""Reads come before writes, so that lists are as long as they are called."""


def chosen(only: Sequence[str]) -> list[str]:
    """The names of the comparisons to make, in their order; all where none is given."""
    return [name for name in NAMES if not only or name in only]
