"""One record with a history as long as the limits allow, and eight who read it at the same time."""

import asyncio
import base64
import random
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psutil
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration

LONG: Final = 245_000
READERS: Final = 8
MOST_GROWTH: Final = 100 * 1024 * 1024
SERVICES: Final = ("command-api", "query-api", "projections")
LONG_HORSES: Final = 400
LOOK_AT: Final = (15, 66, LONG_HORSES - 1)
"""Pages are read at once up to the first, lists up to the second; then nothing is."""
_LOOK_SECONDS: Final = 0.01


@dataclass
class Memory:
    """What the services take, and the most that they ever took while somebody looked."""

    before: dict[str, int]
    most: dict[str, int] = field(default_factory=dict)

    @property
    def growth(self) -> dict[str, int]:
        """By service, bytes."""
        return {name: self.most[name] - self.before[name] for name in self.before}

    def output(self) -> str:
        """In words."""
        return ", ".join(
            f"{name} {self.before[name] >> 20} → {self.most[name] >> 20} MiB" for name in self.before
        )


@contextmanager
def watched(stack: Stack) -> Iterator[Memory]:
    """Watch the services' memory, many times a second."""
    processes = {name: psutil.Process(stack.pid(name)) for name in SERVICES}
    memory = Memory({name: process.memory_info().rss for name, process in processes.items()})
    memory.most = dict(memory.before)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_SECONDS):
            for name, process in processes.items():
                memory.most[name] = max(memory.most[name], process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield memory
    finally:
        over.set()
        watching.join()


@asynccontextmanager
async def signed_in(stack: Stack, user: str) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {stack.token(user, lifetime=2 * 3600)}"}
    async with httpx.AsyncClient(
        base_url=stack.address, headers=headers, timeout=120, trust_env=False
    ) as client:
        yield client


async def change(client: httpx.AsyncClient, address: str, metadata: dict[str, Any]) -> None:
    answer = await client.put(address, json=usual_body("horse", metadata=metadata).sent)
    assert answer.status_code == 200, answer.text


async def make_long(client: httpx.AsyncClient, *, long: int, short: int) -> list[str]:
    """Make a record of many long changes, and one of very many short ones; return their addresses."""
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
    """Read all parts of an answer, and return how many entries they have."""
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
    """Read a stream to its end, and return how many lines it has."""
    lines = 0
    async with client.stream("GET", path, params=parameters) as answer:
        assert answer.status_code == 200
        async for piece in answer.aiter_bytes():
            lines += piece.count(b"\n")
    return lines


async def read_at_once(stack: Stack, address: str, versions: int) -> dict[str, str]:
    """Have eight read the same, of each kind in turn; return what the services took."""
    output: dict[str, str] = {}
    with watched(stack) as whole:
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
                output[kind] = f"{memory.output()}, {time.monotonic() - began:.0f} s"
    output["all"] = whole.output()
    print("\n" + "\n".join(f"{kind}: {text}" for kind, text in output.items()))
    growth = whole.growth
    assert all(grown < MOST_GROWTH for grown in growth.values()), growth
    return output


async def attack(stack: Stack, *, long: int, short: int) -> None:
    async with signed_in(stack, "staff") as client:
        # What every service takes once it has done a bit of everything is not what the attack takes.
        (first, _) = await make_long(client, long=2, short=2)
        await read_parts(client, f"{first}/history")
        with watched(stack) as memory:
            began = time.monotonic()
            address, busy = await make_long(client, long=long, short=short)
            print(f"\nwriting: {memory.output()}, {time.monotonic() - began:.0f} s")
            began = time.monotonic()
            for number in range(10):
                await change(client, address, {"last": number})
                await change(client, busy, {"last": number})
            print(f"20 further changes: {time.monotonic() - began:.2f} s")

            await until_projected(client, busy, short + 11)
        print(f"writing and projecting: {memory.output()}")
        assert all(grown < MOST_GROWTH for grown in memory.growth.values()), memory.growth
    await read_at_once(stack, address, long + 11)
    async with signed_in(stack, "auditor") as client:
        assert await read_parts(client, f"{busy}/history") == short + 11


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
async def test_the_longest_history_does_not_exhaust_the_memory() -> None:
    with running_stack() as stack:
        await attack(stack, long=soak_count(241), short=soak_count(10_000))


@pytest.mark.soak
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
            with watched(stack) as whole:
                for number in range(soak_count(LONG_HORSES)):
                    metadata = {"note": "x" * LONG + str(number)}
                    made = await client.post(horses, json=usual_body("horse", metadata=metadata).sent)
                    assert made.status_code == 201
                    if number not in LOOK_AT:
                        continue
                    await until_projected(client, made.headers["location"], 1)
                    for kind, view in views.items():
                        began = time.monotonic()
                        with watched(stack) as memory:
                            await asyncio.gather(*(drain(client, horses, **view) for _ in range(READERS)))
                        took = time.monotonic() - began
                        print(f"\n{kind}, {number + 1} long records: {memory.output()}, {took:.0f} s")
    assert all(grown < MOST_GROWTH for grown in whole.growth.values()), whole.growth
