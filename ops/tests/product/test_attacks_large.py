"""The longest records and largest fleets, read by many clients at once."""

import asyncio
import base64
import hashlib
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psutil
import psycopg
import pytest

from ops.development.benchmarks.load import Job, LoadGenerator, Request, Sample
from ops.testing.conditions import wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.product.long_log import copy_streams
from ops.testing.product.read_tables import wait_until_caught_up
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack

SERVICES: Final = ("command-api", "query-api", "projections")
_INTERVAL_SECONDS: Final = 0.01


@dataclass
class Memory:
    """Memory of the services before and at the maximum of an observation, in bytes by service."""

    before: dict[str, int]
    most: dict[str, int] = field(default_factory=dict)

    @property
    def growth(self) -> dict[str, int]:
        return {name: self.most[name] - self.before[name] for name in self.before}

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {self.before[name] >> 20} → {self.most[name] >> 20} MiB" for name in self.before
        )


@contextmanager
def watched(stack: Stack) -> Iterator[Memory]:
    """Observe the services' memory until the context's end."""
    processes = {name: psutil.Process(stack.pid(name)) for name in SERVICES}
    memory = Memory({name: process.memory_info().rss for name, process in processes.items()})
    memory.most = dict(memory.before)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_INTERVAL_SECONDS):
            for name, process in processes.items():
                memory.most[name] = max(memory.most[name], process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield memory
    finally:
        over.set()
        watching.join()


pytestmark = [pytest.mark.integration, pytest.mark.soak]


LONG: Final = 245_000
READERS: Final = 8
MOST_GROWTH: Final = 100 * 1024 * 1024
LONG_HORSES: Final = 400
READ_AT: Final = (15, 66, LONG_HORSES - 1)
"""Numbers of records up to which pages, then lists, are read in one piece."""


def signed_in(stack: Stack, user: str) -> httpx.AsyncClient:
    return stack.async_http(stack.token(user, lifetime=2 * 3600), timeout=120)


async def change(client: httpx.AsyncClient, address: str, metadata: dict[str, Any]) -> None:
    answer = await client.put(address, json=usual_body("horse", metadata=metadata).sent)
    assert answer.status_code == 200, answer.text


async def make_long(client: httpx.AsyncClient, *, long: int, short: int) -> list[str]:
    """Create a record with many long changes, and one with very many short ones; return their addresses."""
    chance = random.Random(1)
    addresses = []
    for _ in range(2):
        made = await client.post(PATHS["horse"], json=usual_body("horse").sent)
        addresses.append(made.headers["location"])
    for number in range(long):
        if number % 4:
            text = base64.b64encode(chance.randbytes(LONG * 3 // 4)).decode()
        else:
            text = "x" * LONG + str(number)
        await change(client, addresses[0], {"note": text})
    for number in range(short):
        await change(client, addresses[1], {"note": number})
    return addresses


async def until_projected(client: httpx.AsyncClient, address: str, version: int) -> None:
    reached = 0
    async with asyncio.timeout(120):
        while reached < version:
            await asyncio.sleep(0.05)
            answer = await client.get(f"{address}/history", params={"limit": 1, "order": "desc"})
            reached = answer.json()["content"][0]["version"]


async def read_parts(client: httpx.AsyncClient, path: str, **parameters: Any) -> int:
    """Read all parts of an answer, and return the number of entries."""
    entries, cursor = 0, None
    while True:
        asked = {**parameters, "limit": 1000, **({"cursor": cursor} if cursor else {})}
        answer = await client.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        entries += len(page["content"])
        cursor = page["next"]
        if cursor is None:
            return entries


async def drain(client: httpx.AsyncClient, path: str, **parameters: Any) -> int:
    """Read a stream to its end, and return the number of lines."""
    lines = 0
    async with client.stream("GET", path, params=parameters) as answer:
        assert answer.status_code == 200
        async for piece in answer.aiter_bytes():
            lines += piece.count(b"\n")
    return lines


async def read_at_once(stack: Stack, address: str, versions: int) -> None:
    """Read each kind of answer with eight clients at once, and check the growth of the services' memory."""
    with watched(stack) as total:
        async with signed_in(stack, "auditor") as client:
            kinds: dict[str, Callable[[], Awaitable[int]]] = {
                "history": lambda: read_parts(client, f"{address}/history"),
                "history, latest first": lambda: read_parts(client, f"{address}/history", order="desc"),
                "audit": lambda: read_parts(client, "/api/v1/audit", id=address.rpartition("/")[2]),
                "csv": lambda: drain(
                    client, "/api/v1/audit", format="csv", id=address.rpartition("/")[2], reveal="true"
                ),
                "ndjson": lambda: drain(
                    client, "/api/v1/audit", format="ndjson", id=address.rpartition("/")[2]
                ),
                "feed": lambda: drain(client, "/api/v1/events", format="ndjson", after="0"),
                "blame": lambda: read_parts(client, f"{address}/history", field="chassis_number"),
            }
            for kind, read in kinds.items():
                began = time.monotonic()
                with watched(stack) as memory:
                    found = await asyncio.gather(*(read() for _ in range(READERS)))
                assert len(set(found)) == 1, found
                if "history" in kind or kind == "audit":
                    assert found[0] == versions
                print(f"\n{kind}: {memory}, {time.monotonic() - began:.0f} s")
    print(f"all: {total}")
    assert all(grown < MOST_GROWTH for grown in total.growth.values()), total.growth


async def attack(stack: Stack, *, long: int, short: int) -> None:
    async with signed_in(stack, "staff") as client:
        # The first requests of each kind allocate memory once, which is no effect of the attack.
        (first, _) = await make_long(client, long=2, short=2)
        await read_parts(client, f"{first}/history")
        with watched(stack) as memory:
            began = time.monotonic()
            address, busy = await make_long(client, long=long, short=short)
            print(f"\nwriting: {memory}, {time.monotonic() - began:.0f} s")
            began = time.monotonic()
            for number in range(10):
                await change(client, address, {"last": number})
                await change(client, busy, {"last": number})
            print(f"20 further changes: {time.monotonic() - began:.2f} s")

            await until_projected(client, busy, short + 11)
        print(f"writing and projecting: {memory}")
        assert all(grown < MOST_GROWTH for grown in memory.growth.values()), memory.growth
    await read_at_once(stack, address, long + 11)
    async with signed_in(stack, "auditor") as client:
        assert await read_parts(client, f"{busy}/history") == short + 11


@pytest.mark.timeout(2 * 3600)
async def test_the_longest_history_does_not_exhaust_the_memory() -> None:
    with running_stack() as stack:
        await attack(stack, long=soak_count(241), short=soak_count(10_000))


@pytest.mark.timeout(3600)
async def test_lists_of_long_records_do_not_exhaust_the_memory() -> None:
    horses = PATHS["horse"]
    views: dict[str, dict[str, Any]] = {
        "list": {},
        "page": {"size": 1000, "sort": "identifier,desc"},
        "search": {"size": 1000, "q": "a"},
    }
    with running_stack() as stack:
        async with signed_in(stack, "staff") as client:
            made = await client.post(horses, json=usual_body("horse").sent)
            for view in views.values():
                await drain(client, horses, **view)
            with watched(stack) as total:
                for number in range(soak_count(LONG_HORSES)):
                    metadata = {"note": "x" * LONG + str(number)}
                    made = await client.post(horses, json=usual_body("horse", metadata=metadata).sent)
                    assert made.status_code == 201
                    if number not in READ_AT:
                        continue
                    await until_projected(client, made.headers["location"], 1)
                    for kind, view in views.items():
                        began = time.monotonic()
                        with watched(stack) as memory:
                            await asyncio.gather(*(drain(client, horses, **view) for _ in range(READERS)))
                        took = time.monotonic() - began
                        print(f"\n{kind}, {number + 1} long records: {memory}, {took:.0f} s")
    assert all(grown < MOST_GROWTH for grown in total.growth.values()), total.growth


DRIVERS = "/api/v1/drivers"
FLEET = 100_000
SEARCHERS = 20
READS = 400
PAUSE_SECONDS = 0.01
"""Pause between two reads of a user at work."""

SEARCHED = """
SELECT EXISTS (
  SELECT FROM pg_stat_activity
  WHERE state = 'active' AND query LIKE '%totalElements%' AND pid <> pg_backend_pid()
)
"""


def with_unique_name(text: bytes, number: int) -> bytes:
    name = hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()[:6].capitalize()
    return text.replace(b"NAME", f"{name} Kumar".encode())


@pytest.fixture(scope="module")
def fleet() -> Iterator[Stack]:
    """A product with very many drivers."""
    with running_stack() as stack:
        with stack.http() as http:
            body = usual_body("driver", name="NAME").sending(id="MANY").sent
            assert http.post(DRIVERS, json=body).status_code == 201
        copy_streams(stack, ["driver:MANY"], copies=soak_count(FLEET), text_of=with_unique_name)
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            wait_until_caught_up(connection, seconds=3600)
            connection.execute("VACUUM ANALYZE")
        yield stack


def p99(seconds: list[float]) -> float:
    return sorted(seconds)[round(0.99 * (len(seconds) - 1))]


def read_singles(http: httpx.Client) -> list[float]:
    """Read records in turn, and return the seconds of each read."""
    took = []
    for number in range(soak_count(READS)):
        began = time.perf_counter()
        assert http.get(f"{DRIVERS}/COPY-{1 + number}").status_code == 200
        took.append(time.perf_counter() - began)
        time.sleep(PAUSE_SECONDS)
    return took


@contextmanager
def searching(stack: Stack, views: list[str], samples: list[Sample], *, seconds: float) -> Iterator[None]:
    """Search with many clients in another process, which does not delay this process's reads."""
    headers = {"Authorization": f"Bearer {stack.token('auditor')}"}
    requests = [Request(method="GET", path=DRIVERS + view, headers=headers) for view in views]

    def search() -> None:
        job = Job(port=stack.port, requests=requests, connections=SEARCHERS, seconds=seconds)
        samples.append(generator.run(job))

    with LoadGenerator() as generator:
        searchers = threading.Thread(target=search)
        searchers.start()
        # The searches have begun when the database executes one.
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            wait_for(lambda: connection.execute(SEARCHED).fetchone() == (True,))
        yield
        assert searchers.is_alive(), "the searches ended before the reads"
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
    searched: list[Sample] = []
    with fleet.http() as http:
        read_singles(http)  # warm-up
        began = time.monotonic()
        idle = read_singles(http)
        seconds = 4 * (time.monotonic() - began)
        with searching(fleet, views, searched, seconds=seconds):
            busy = read_singles(http)
    took = [microseconds / 1e6 for sample in searched for microseconds in sample.latencies]
    refused = sum(sample.errors for sample in searched)
    print(
        f"searches that find {what}: {len(took)}, {refused} refused, the slowest {max(took):.2f} s;"
        f" {len(busy)} single reads, p99 {1000 * p99(idle):.1f} ms idle, {1000 * p99(busy):.1f} ms meanwhile"
    )
    assert refused == 0
    assert p99(busy) <= 3 * p99(idle)


@pytest.mark.timeout(3600)
async def test_list_of_the_past_is_answered_quickly(fleet: Stack) -> None:
    async with fleet.async_http() as http:
        changes = (await http.get(f"{DRIVERS}/COPY-{soak_count(FLEET)}/history")).json()["content"]
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
