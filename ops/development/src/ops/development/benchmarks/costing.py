"""What a request costs: processor time, by process, beside what the least of answers costs.

It barely moves when the machine is shared, as rates do; so it is the figure to work with.
"""

import itertools
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from psutil import NoSuchProcess, Process

from ops.base.consistency import POSITION_HEADER
from ops.development.benchmarks.bare import STATUSES
from ops.development.benchmarks.bodies import DRIVERS, HORSES, body
from ops.development.benchmarks.filling import ID_PREFIX, Filling
from ops.development.benchmarks.instance import Instance, bare_behind_gateway, instance_of_our_own
from ops.development.benchmarks.jobs import PICK, POSITION, UNIQUE, Job
from ops.development.benchmarks.jobs import Step as Request
from ops.development.benchmarks.measuring import CONNECTIONS, Step
from ops.development.benchmarks.samples import Cost
from ops.development.benchmarks.subjects import WARM_UP_SHARE, LoadGenerator

PARTS: Final = ("command-api", "query-api", "projections", "postgres", "gateway")
DEEP: Final = 100
"""How many changes the history has that is read."""
_UNSEALED: Final = {"FLEETLOG_SEAL_SECONDS": "3600"}
"""Sealing has a rhythm of its own, which would fall into one measurement and not into the next."""


def run(step: Step, *, short_list: int, long_list: int, seconds: float) -> list[Cost]:
    """Measure on an instance of its own, through its gateway, as users come.

    Args:
        step: shows progress.
        short_list: records of the short list.
        long_list: records of the long one.
        seconds: how long each request is sent.

    Raises:
        LauncherError: something did not start, or refused to work.
    """
    step("starting an instance")
    with (
        instance_of_our_own(_UNSEALED) as instance,
        bare_behind_gateway() as (bare, bare_parts),
        LoadGenerator() as generator,
    ):
        filling = Filling(instance)
        filling.add("driver", long_list)
        filling.add("horse", short_list)
        filling.change("horse", 1, times=DEEP - 1)
        filling.wait_until_projected("filling it", step)
        parts = {part: instance.process(part) for part in PARTS}
        requests = _requests(instance, long_list)

        def measure(
            job: Job, gateway: int, parts: Mapping[str, Process]
        ) -> tuple[int, int, dict[str, float]]:
            """Return how many answers were good, how many were not, and the milliseconds of one, by part."""
            steps = [each.model_copy(update={"port": gateway}) for each in job.steps]
            warm_up, job = (
                job.model_copy(update={"steps": steps, "seconds": length})
                for length in (WARM_UP_SHARE * seconds, seconds)
            )
            generator.run(warm_up)
            filling.wait_until_projected("catching up", step, vacuum=False)
            before = {part: seconds_of(process) for part, process in parts.items()}
            tallies = generator.run(job).tallies
            # What follows from a command is part of what it costs.
            filling.wait_until_projected("catching up", step, vacuum=False)
            good = len(tallies[-1].latencies)
            spent = {part: 1000 * (seconds_of(process) - before[part]) for part, process in parts.items()}
            errors = sum(tally.errors for tally in tallies)
            return good, errors, {part: each / max(1, good) for part, each in spent.items()}

        costs = []
        for done, (name, connections) in enumerate(itertools.product(requests, CONNECTIONS)):
            step(f"cost: {name}", done, len(requests) * len(CONNECTIONS))
            job = requests[name].model_copy(update={"connections": connections})
            _, bare_errors, floor = measure(_answered_by_bare(job), bare, bare_parts)
            good, errors, spent = measure(job, instance.gateway, parts)
            costs.append(
                Cost(name, connections, good, errors + bare_errors, spent, floor=sum(floor.values()))
            )
            if job.steps[0].method != "GET":
                filling.wait_until_projected("catching up", step)
    return costs


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
        f"history of {DEEP}": job(get(f"{horse}/history?limit={DEEP}")),
        "update": job(command("PUT", one, body("driver"), 200), pick_from=long_list),
        "create": job(create),
        "create, then read": job(create, get(new, {POSITION_HEADER: POSITION})),
    }


def _answered_by_bare(job: Job) -> Job:
    """The same requests, which are answered whatever they ask for."""
    steps = [each.model_copy(update={"status": STATUSES.get(each.method, 200)}) for each in job.steps]
    return job.model_copy(update={"steps": steps})


def seconds_of(process: Process) -> float:
    """Return the processor seconds of a process, of its children, and of those of them that have ended."""
    times = process.cpu_times()
    total: float = times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with suppress(NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total
