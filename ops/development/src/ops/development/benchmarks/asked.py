"""What instances hold and are asked where it is told what requests cost."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

from ops.base.consistency import POSITION_HEADER
from ops.development.benchmarks.bodies import DRIVERS, HORSES, body
from ops.development.benchmarks.filling import ID_PREFIX, Filling
from ops.development.benchmarks.instance import Instance, instance_of_our_own
from ops.development.benchmarks.jobs import PICK, POSITION, UNIQUE, Job
from ops.development.benchmarks.jobs import Step as Request
from ops.development.benchmarks.measuring import Step

DEEP: Final = 100
"""How many changes the history has that is read."""
_UNDISTURBED: Final = {"FLEETLOG_SEAL_SECONDS": "3600"}
"""Sealing has a rhythm of its own, which would fall into one measurement and not into the next."""


@dataclass(frozen=True)
class Sizes:
    """How much there is, and what is asked.

    Attributes:
        requests: names of those that are measured; empty: all.
        short_list: records of the short list.
        long_list: records of the long one.
    """

    requests: Sequence[str]
    short_list: int
    long_list: int


class Asked(NamedTuple):
    """An instance that has records, and what it is asked, by name."""

    instance: Instance
    filling: Filling
    requests: Mapping[str, Job]


@contextmanager
def filled_instance(
    step: Step, sizes: Sizes, environment: Mapping[str, str] | None = None
) -> Iterator[Asked]:
    """Run an instance that nothing disturbs, with records.

    Args:
        step: shows progress.
        sizes: how much there is.
        environment: settings of the instance.

    Raises:
        LauncherError: it did not start, or refused to work.
    """
    step("starting an instance")
    with instance_of_our_own({**_UNDISTURBED, **(environment or {})}) as instance:
        filling = Filling(instance)
        filling.add("driver", sizes.long_list)
        filling.add("horse", sizes.short_list)
        filling.change("horse", 1, times=DEEP - 1)
        filling.wait_until_projected("filling it", step)
        requests = _requests(instance, sizes.long_list)
        yield Asked(instance, filling, {name: requests[name] for name in sizes.requests or requests})


def _requests(instance: Instance, long_list: int) -> Mapping[str, Job]:
    """What is sent, by name; where to and how long is filled in later."""
    headers = instance.headers()
    of_command = {**headers, "Content-Type": "application/json"}
    one, new = f"{DRIVERS}/{ID_PREFIX}{PICK}", f"{DRIVERS}/NEW-{UNIQUE}"
    horse = f"{HORSES}/{ID_PREFIX}000000"

    def job(*steps: Request, pick_from: int = 1) -> Job:
        return Job(steps=list(steps), connections=1, seconds=0, warm_up_seconds=0, pick_from=pick_from)

    def get(path: str, more: Mapping[str, str] = headers, status: int = 200) -> Request:
        sent = {**headers, **more}
        return Request(port=0, method="GET", path=path, headers=sent, status=status)

    def unchanged(path: str) -> Request:
        with instance.client("query-api") as client:
            etag = client.get(path).headers["ETag"]
        return get(path, {"If-None-Match": etag}, status=304)

    def command(method: str, path: str, text: str, status: int) -> Request:
        return Request(port=0, method=method, path=path, headers=of_command, body=text, status=status)

    create = command("POST", DRIVERS, body("driver", f"NEW-{UNIQUE}"), 201)
    return {
        "read one": job(get(one), pick_from=long_list),
        "read one: 304": job(unchanged(horse)),
        # Who is shown no personal data is not recorded to have seen it: that is all that these two differ in.
        "one, recorded": job(get(horse)),
        "one, masked": job(get(horse, instance.headers("analyst"))),
        "list of 1,000": job(get(HORSES)),
        "list of 1,000: 304": job(unchanged(HORSES)),
        "list of 10,000": job(get(DRIVERS)),
        "list of 10,000: 304": job(unchanged(DRIVERS)),
        "page, searched": job(get(f"{DRIVERS}?q={ID_PREFIX}0000&sort=name,asc&page=0&size=20")),
        f"history of {DEEP}": job(get(f"{horse}/history?limit={DEEP}")),
        "update": job(command("PUT", one, body("driver"), 200), pick_from=long_list),
        "create": job(create),
        "create, then read": job(create, get(new, {POSITION_HEADER: POSITION})),
    }
