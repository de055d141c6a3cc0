"""The questions that are answered at once."""

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from ops.launcher.benchmarks.auditing.fleet import RARE, REASON, LongFleet
from ops.launcher.benchmarks.bodies import HORSES
from ops.launcher.benchmarks.comparisons import Catalogue
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.measuring import CONNECTIONS, Aim, Comparison
from ops.launcher.benchmarks.subjects import Requests

_AT_ONCE: Final = Aim(p99=50, connections=1)
_LIST_AT_ONCE: Final = Aim(p99=300, connections=1)
_AUDIT: Final = "/api/v1/audit"


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
        "actor": {"actor": "dev|daniel"},
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
