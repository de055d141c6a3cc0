"""Many search a large fleet, and somebody asks for its past: whoever opens a record must not notice."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from ops.launcher.benchmarks.jobs import Job, Step, Tally
from ops.launcher.benchmarks.subjects import LoadGenerator
from ops.testing.product.bodies import usual_body
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack

pytestmark = [pytest.mark.integration, pytest.mark.soak]

DRIVERS = "/api/v1/drivers"
FLEET = 100_000
SEARCHERS = 20
READS = 400
PAUSE_SECONDS = 0.01
"""Between two reads: those of one who works, not of one who loads."""

SEARCHED = """
SELECT EXISTS (
  SELECT FROM pg_stat_activity
  WHERE state = 'active' AND query LIKE '%totalElements%' AND pid <> pg_backend_pid()
)
"""

# Of the first driver, each with a name of its own.
COPIES = """
INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)
SELECT
  notification_id + number,
  originator_id || '-' || number,
  1,
  topic,
  convert_to(
    replace(convert_from(state, 'UTF8'), 'NAME', initcap(left(md5(number::text), 6)) || ' Kumar'), 'UTF8'
  ),
  clock_timestamp()
FROM log.events CROSS JOIN generate_series(1, %s) AS number
WHERE notification_id = (SELECT position FROM log.head)
"""


@pytest.fixture(scope="module")
def fleet() -> Iterator[Stack]:
    """A running product with very many drivers."""
    with running_stack() as stack:
        with client_of(stack) as http:
            body = usual_body("driver", name="NAME").sending(id="MANY").sent
            assert http.post(DRIVERS, json=body).status_code == 201
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            connection.execute(COPIES, (soak_count(FLEET),))
            behind = "SELECT (SELECT position FROM log.head) - min(position) FROM read.positions"
            while connection.execute(behind).fetchone() != (0,):
                time.sleep(0.2)
            connection.execute("VACUUM ANALYZE")
        yield stack


def client_of(stack: Stack) -> httpx.Client:
    headers = {"Authorization": f"Bearer {stack.token()}"}
    return httpx.Client(base_url=stack.address, headers=headers, timeout=60, trust_env=False)


def p99(seconds: list[float]) -> float:
    return sorted(seconds)[round(0.99 * (len(seconds) - 1))]


def read_singles(http: httpx.Client) -> list[float]:
    """Open one record after the other, and return how long each took."""
    took = []
    for number in range(soak_count(READS)):
        began = time.perf_counter()
        assert http.get(f"{DRIVERS}/MANY-{1 + number}").status_code == 200
        took.append(time.perf_counter() - began)
        time.sleep(PAUSE_SECONDS)
    return took


@contextmanager
def searching(stack: Stack, views: list[str], tallies: list[Tally], *, seconds: float) -> Iterator[None]:
    """Have many search, from a process of its own, for whoever reads must wait for the product alone."""
    headers = {"Authorization": f"Bearer {stack.token('auditor')}"}
    steps = [Step(port=stack.port, method="GET", path=DRIVERS + view, headers=headers) for view in views]

    def search() -> None:
        job = Job(steps=steps, connections=SEARCHERS, seconds=seconds, warm_up_seconds=0)
        tallies.extend(generator.run(job).tallies)

    with LoadGenerator() as generator:
        searchers = threading.Thread(target=search)
        searchers.start()
        # They are at work when the database is.
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            while connection.execute(SEARCHED).fetchone() != (True,):
                time.sleep(PAUSE_SECONDS)
        yield
        assert searchers.is_alive(), "the searchers were done before the reader was"
        searchers.join()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("what", "views"),
    [
        ("few", [f"?q={number:x}&sort=name,asc" for number in range(0xABC, 0xFFF, 7)]),
        ("all", ["?q=a&sort=city,desc", "?q=ku&sort=name,asc", "?sort=name,desc", "?q=kumar&page=3"]),
    ],
    ids=["that find few", "that find nearly all"],
)
def test_single_reads_stay_quick_while_many_search(fleet: Stack, what: str, views: list[str]) -> None:
    searched: list[Tally] = []
    with client_of(fleet) as http:
        read_singles(http)  # warm
        began = time.monotonic()
        idle = read_singles(http)
        seconds = 4 * (time.monotonic() - began)
        with searching(fleet, views, searched, seconds=seconds):
            busy = read_singles(http)
    took = [microseconds / 1e6 for tally in searched for microseconds in tally.latencies]
    refused = sum(tally.errors for tally in searched)
    print(
        f"searches that find {what}: {len(took)}, {refused} refused, the slowest {max(took):.2f} s;"
        f" {len(busy)} single reads, p99 {1000 * p99(idle):.1f} ms idle, {1000 * p99(busy):.1f} ms meanwhile"
    )
    assert refused == 0
    assert p99(busy) <= 3 * p99(idle)


@pytest.mark.timeout(3600)
async def test_a_list_of_the_past_is_answered(fleet: Stack) -> None:
    headers = {"Authorization": f"Bearer {fleet.token()}"}
    async with httpx.AsyncClient(
        base_url=fleet.address, headers=headers, timeout=60, trust_env=False
    ) as http:
        changes = (await http.get(f"{DRIVERS}/MANY-{soak_count(FLEET)}/history")).json()["content"]
        took = []
        for encoding in ("gzip", "identity", "gzip", "identity"):
            began = time.perf_counter()
            request = http.stream(
                "GET",
                f"{DRIVERS}?as_of={changes[-1]['moment']}",
                headers={"Accept-Encoding": encoding},
            )
            async with request as answer:
                assert answer.status_code == 200
                size, first = 0, None
                async for piece in answer.aiter_bytes():
                    first = first or time.perf_counter() - began
                    size += len(piece)
            took.append(time.perf_counter() - began)
            print(f"as of then, {encoding}: {size / 1e6:.0f} MB in {took[-1]:.2f} s, the first {first:.3f} s")
        assert min(took) < 2
