"""Many search a large fleet, and somebody asks for its past: whoever opens a record must not notice."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Iterator

import httpx
import psycopg
import pytest

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


async def read_singles(http: httpx.AsyncClient, statuses: Counter[int]) -> list[float]:
    """Open one record after the other."""
    took = []
    for number in range(soak_count(READS)):
        began = time.perf_counter()
        answer = await http.get(f"{DRIVERS}/MANY-{1 + number}")
        took.append(time.perf_counter() - began)
        statuses[answer.status_code] += 1
        await asyncio.sleep(PAUSE_SECONDS)
    return took


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("what", "views"),
    [
        ("few", [f"?q={number:x}&sort=name,asc" for number in range(0xABC, 0xFFF, 7)]),
        ("all", ["?q=a&sort=city,desc", "?q=ku&sort=name,asc", "?sort=name,desc", "?q=kumar&page=3"]),
    ],
    ids=["that find few", "that find nearly all"],
)
async def test_single_reads_stay_quick_while_many_search(fleet: Stack, what: str, views: list[str]) -> None:
    headers = {"Authorization": f"Bearer {fleet.token('staff')}"}
    others = {"Authorization": f"Bearer {fleet.token('auditor')}"}
    limits = httpx.Limits(max_connections=SEARCHERS)
    searched: Counter[int] = Counter()
    read: Counter[int] = Counter()
    slowest = 0.0
    async with (
        httpx.AsyncClient(base_url=fleet.address, headers=headers, timeout=60, trust_env=False) as reader,
        httpx.AsyncClient(
            base_url=fleet.address, headers=others, timeout=60, trust_env=False, limits=limits
        ) as other,
    ):
        await read_singles(reader, Counter())  # warm
        idle = await read_singles(reader, read)

        async def search(first: int) -> None:
            nonlocal slowest
            for view in itertools.islice(itertools.cycle(views), first, None):
                began = time.perf_counter()
                answer = await other.get(DRIVERS + view)
                slowest = max(slowest, time.perf_counter() - began)
                searched[answer.status_code] += 1

        searchers = [asyncio.create_task(search(number)) for number in range(SEARCHERS)]
        while sum(searched.values()) < SEARCHERS:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(PAUSE_SECONDS)
        busy = await read_singles(reader, read)
        for searcher in searchers:
            searcher.cancel()
        await asyncio.gather(*searchers, return_exceptions=True)
    print(
        f"searches that find {what}: {dict(searched)}, the slowest {slowest:.2f} s;"
        f" single reads {dict(read)}, p99 {1000 * p99(idle):.1f} ms idle, {1000 * p99(busy):.1f} ms meanwhile"
    )
    assert set(searched) == {200}
    assert set(read) == {200}
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
