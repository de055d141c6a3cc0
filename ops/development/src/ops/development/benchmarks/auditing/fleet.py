"""A fleet with a long past, of which little is rare, and the questions about it that are answered at once."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from ops.development.benchmarks.bodies import HORSES
from ops.development.benchmarks.comparisons import Catalogue
from ops.development.benchmarks.filling import ID_PREFIX, Filling
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.jobs import PICK_LENGTH
from ops.development.benchmarks.measuring import CONNECTIONS, Aim, Comparison, Step
from ops.development.benchmarks.subjects import Requests

RARE: Final = 20
"""So many locations were registered, by one person and with a reason, when the log was young."""
REASON: Final = "found at the stocktaking"
SEAL_SECONDS: Final = 1
"""So long new events wait for their seal at most."""
_EVENTS_PER_DRIVER: Final = 25
_AT_ONCE: Final = Aim(p99=50, connections=1)
_LIST_AT_ONCE: Final = Aim(p99=300, connections=1)
_AUDIT: Final = "/api/v1/audit"


class LongFleet:
    """Horses, of which one was changed often; the rest of the log is other horses' and drivers' changes."""

    def __init__(self, instance: Instance, *, entities: int, deep: int) -> None:
        """Register the horses, and let happen what is rare later.

        Args:
            instance: has an empty log.
            entities: how many horses.
            deep: how many events the first of them has.
        """
        self._instance = instance
        self._filling = Filling(instance)
        self._others = entities - 1
        self._changes = 0
        self._drivers = 0
        self._filling.add("horse", entities)
        self._filling.add_one_by_one("location", RARE, user="farah", reason=REASON)
        self._filling.change("horse", 1, times=deep - 1)
        self.young = instance.events
        """How many events there were when all this had happened."""
        self.entities = entities
        self.deep = deep

    @property
    def deep_id(self) -> str:
        """The id of the horse that was changed often."""
        return f"{ID_PREFIX}{0:0{PICK_LENGTH}}"

    def grow(self, events: int, step: Step) -> None:
        """Let happen what is missing for so many events (or a few more), and wait until it can be read.

        One part are the other horses' changes, the other are drivers and their changes.
        """
        missing = events - self._instance.events
        what = f"growing to {events}"
        if missing > 0:
            step(what)
            drivers = missing // 2 // _EVENTS_PER_DRIVER
            if drivers:
                self._filling.add("driver", drivers, first=self._drivers)
                self._filling.change("driver", drivers, times=_EVENTS_PER_DRIVER - 1, first=self._drivers)
                self._drivers += drivers
            times = -(-(events - self._instance.events) // self._others)
            self._filling.change("horse", self._others, times=times, first=1, version=2 + self._changes)
            self._changes += times
        self._filling.wait_until_projected(what, step)

    def moment(self, position: int) -> str:
        """When a position of the log was written, as an address has it."""
        moment: datetime = self._instance.ask(
            "SELECT moment FROM log.events WHERE notification_id = %s", position
        )
        return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"

    def deep_moment(self) -> str:
        """When the horse that was changed often had half of its changes."""
        half = self._instance.ask(
            "SELECT notification_id FROM log.events WHERE originator_id = %s AND originator_version = %s",
            f"horse:{self.deep_id}",
            self.deep // 2,
        )
        return self.moment(half)

    def wait_until_sealed(self, step: Step) -> None:
        """Wait until all of it is sealed.

        Raises:
            LauncherError: nothing is sealed any more.
        """
        self._instance.wait(
            "waiting for its seals", lambda: self._instance.sealed, self._instance.events, step
        )
        time.sleep(2 * SEAL_SECONDS)  # the checkpoint comes after the hashes


def queries(
    instance: Instance, catalogue: Catalogue, fleet: LongFleet
) -> Iterator[tuple[Comparison, Sequence[int]]]:
    """Make the comparisons for a log as it is now, each with the connections that it is made on.

    What is rare is all at its beginning, and is asked for latest first, so whoever does not know where it is
    has to look through everything.
    """

    def get(port: int, path: str, **query: object) -> Requests:
        return catalogue.requests(catalogue.get(port, f"{path}?{urlencode(query)}"))

    deep, query_api = f"{HORSES}/{fleet.deep_id}", instance.port("query-api")
    constant = get(instance.floor, deep)
    audits = {
        "all": {},
        "entity": {"entity": "horse", "id": fleet.deep_id},
        "actor": {"actor": "dev|farah"},
        "type": {"type": "location.registered"},
        "field": {"field": "longitude"},
        "time": {"from": fleet.moment(1), "to": fleet.moment(RARE)},
        "q": {"q": REASON},
    }
    subjects = {
        "history": get(query_api, f"{deep}/history", order="desc"),
        "as-of": get(query_api, deep, as_of=fleet.deep_moment()),
        **{f"audit-{name}": get(query_api, _AUDIT, **query, order="desc") for name, query in audits.items()},
    }
    for name, subject in subjects.items():
        connections = (1,) if name == "audit-q" else CONNECTIONS
        yield Comparison(name, subject, constant, "a constant answer", _AT_ONCE), connections
    then = get(query_api, HORSES, as_of=fleet.moment(fleet.young))
    serialised = get(instance.floor, HORSES, count=fleet.entities)
    yield Comparison("list-as-of", then, serialised, "serialised per request", _LIST_AT_ONCE), (1,)
