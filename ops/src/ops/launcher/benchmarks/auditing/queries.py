"""The questions that are answered at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from ops.launcher.benchmarks.auditing.fleet import RARE, REASON, LongFleet
from ops.launcher.benchmarks.bodies import HORSES
from ops.launcher.benchmarks.comparisons import Aim, Comparison
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import Step
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.measuring import CONNECTIONS
from ops.launcher.benchmarks.subjects import Requests

_AT_ONCE = Aim(p99=50, connections=1)
_LIST_AT_ONCE = Aim(p99=300, connections=1)
_AUDIT = "/api/v1/audit"


@dataclass(frozen=True)
class Query:
    """A comparison, and on how many connections it is made."""

    comparison: Comparison
    connections: Sequence[int] = CONNECTIONS


def queries(instance: Instance, generator: LoadGenerator, fleet: LongFleet) -> Iterator[Query]:
    """Make the comparisons for a log as it is now.

    What is rare is all at its beginning, and is asked for latest first, so whoever does not know where it is
    has to look through everything.
    """
    deep = f"{HORSES}/{fleet.deep_id}"
    constant = _get(instance, instance.floor, deep)
    paths = {
        "history": (f"{deep}/history", {"order": "desc"}),
        "as-of": (deep, {"as_of": fleet.deep_moment()}),
        "audit-all": (_AUDIT, {"order": "desc"}),
        "audit-entity": (_AUDIT, {"entity": "horse", "id": fleet.deep_id, "order": "desc"}),
        "audit-actor": (_AUDIT, {"actor": "dev|daniel", "order": "desc"}),
        "audit-type": (_AUDIT, {"type": "location.registered", "order": "desc"}),
        "audit-field": (_AUDIT, {"field": "longitude", "order": "desc"}),
        "audit-time": (_AUDIT, {"from": fleet.moment(1), "to": fleet.moment(RARE), "order": "desc"}),
    }
    for name, (path, query) in paths.items():
        asked = _get(instance, instance.port("query-api"), f"{path}?{urlencode(query)}")
        yield Query(
            Comparison(
                name,
                Requests(generator, [asked]),
                Requests(generator, [constant]),
                "a constant answer",
                _AT_ONCE,
            )
        )
    search = _get(
        instance, instance.port("query-api"), f"{_AUDIT}?{urlencode({'q': REASON, 'order': 'desc'})}"
    )
    yield Query(
        Comparison(
            "audit-q",
            Requests(generator, [search]),
            Requests(generator, [constant]),
            "a constant answer",
            _AT_ONCE,
        ),
        (1,),
    )
    then = _get(
        instance,
        instance.port("query-api"),
        f"{HORSES}?{urlencode({'as_of': fleet.moment(fleet.young)})}",
    )
    serialised = _get(instance, instance.floor, f"{HORSES}?count={fleet.entities}")
    yield Query(
        Comparison(
            "list-as-of",
            Requests(generator, [then]),
            Requests(generator, [serialised]),
            "serialised per request",
            _LIST_AT_ONCE,
        ),
        (1,),
    )


def _get(instance: Instance, port: int, target: str) -> Step:
    headers = {"Authorization": f"Bearer {instance.token()}"}
    return Step(port=port, method="GET", path=target, headers=headers)
