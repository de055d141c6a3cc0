"""What a list answers that is too long to be loaded whole: each key of a search, every order, its figures."""

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import cycle, islice
from typing import Final
from urllib.parse import urlencode

import httpx

from ops.development.benchmarks.bodies import DRIVERS
from ops.development.benchmarks.comparisons import LISTS
from ops.development.benchmarks.filling import Filling
from ops.development.benchmarks.instance import instance_of_our_own
from ops.development.benchmarks.measuring import Row, Step
from ops.development.benchmarks.people import DAYS, FIRST_DAY
from ops.development.benchmarks.samples import Sample, Summary

_REQUESTS: Final = 200
_COUNT: Final = {"page": 2**31 - 1, "size": 1}
_MIDDLE: Final = FIRST_DAY + timedelta(days=DAYS // 2)
_SOON: Final = f"{_MIDDLE}..{_MIDDLE + timedelta(days=30)}"
_KEY: Final = 300
"""Milliseconds that a key of a search may take."""
_OPENED: Final = 1000

Asked = Mapping[str, object]


def _pages(*numbers: int) -> list[Asked]:
    return [{"sort": "name,asc", "page": number} for number in numbers]


def _searches(*texts: str, **more: object) -> list[Asked]:
    return [{"sort": "name,asc", "q": text, **more} for text in texts]


def _kinds(drivers: int) -> Mapping[str, tuple[int, Sequence[Asked]]]:
    """What is asked, by name, with the milliseconds that it may take."""
    last = drivers // 20 - 1
    expired = f"..{_MIDDLE}"
    return {
        "opened": (_OPENED, [{"whole_up_to": 5000}]),
        "first pages": (_OPENED, _pages(0, 1, 2)),
        "hundredth pages": (_OPENED, _pages(100, 200)),
        "last pages": (_OPENED, _pages(last, last // 2)),
        "other orders": (
            _OPENED,
            [{"sort": f"{name},{way}"} for name in ("id", "city") for way in ("asc", "desc")],
        ),
        "one letter": (_KEY, _searches(*"aekz9")),
        "two letters": (_KEY, _searches("ku", "sh", "zo", "98", "qx")),
        "three letters": (_KEY, _searches("kum", "pun", "919", "zub")),
        "more letters": (_KEY, _searches("suresh", "98765 4", "bench-0123", "nobody at all")),
        "letters and a city": (_KEY, _searches("a", "ku", "shar", city="Pune")),
        "cards": (
            _OPENED,
            [{**_COUNT, "driving_license_expiry": days} for days in (expired, f"!{expired}", _SOON)],
        ),
        "a city": (_OPENED, [{"sort": "name,asc", "city": city} for city in ("Pune", "Mumbai")]),
    }


def run(step: Step, *, drivers: int) -> list[Row]:
    """Measure on an instance of its own, one request after another.

    Args:
        step: shows progress.
        drivers: how many there are.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    step("starting an instance for lists")
    with instance_of_our_own() as instance:
        filling = Filling(instance)
        step("registering drivers")
        filling.add_people(drivers)
        filling.wait_until_projected("registering drivers", step)
        rows = []
        with instance.client("query-api") as client:
            for name, (limit, asked) in _kinds(drivers).items():
                step(f"{LISTS}: {name}")
                targets = [f"{DRIVERS}?{urlencode(one)}" for one in asked]
                rows.append(_measured(client, name, targets, limit))
            due = [f"/api/v1/due-dates?{urlencode({'from': _MIDDLE, 'until': _SOON[-10:]})}"]
            rows.append(_measured(client, "due dates of a month", due, _OPENED))
        return rows


def _measured(client: httpx.Client, name: str, targets: Sequence[str], limit: int) -> Row:
    latencies, errors, began = [], 0, time.perf_counter()
    for target in islice(cycle(targets), _REQUESTS):
        sent = time.perf_counter()
        errors += not client.get(target).is_success
        latencies.append(round((time.perf_counter() - sent) * 1_000_000))
    summary = Summary.of([Sample(time.perf_counter() - began, latencies, errors)])
    p95 = sorted(latencies)[int(0.95 * len(latencies))] / 1000
    return Row(
        f"{LISTS}: {name}",
        summary,
        1,
        aim=f"p95 < {limit} ms",
        met=p95 < limit and not errors,
        note=f"p95 {p95:,.0f} ms",
    )
