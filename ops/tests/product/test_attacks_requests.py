"""Requests and connections that exhaust resources: each is answered, and no other request fails."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from ops.base.process.resource_limits import raise_descriptor_limit
from ops.testing.half_sent import HalfSentHeaders
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import load_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.soak import soak_count, suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


WRITERS: Final = 4
ATTACKERS: Final = 4
LIMIT: Final = 256 * 1024

# 24 KB of the first body took 7 s in a parser that searched for a string at each quotation mark.
ESCAPES: Final = b"[" * 65 + b'"' + b'\\"' * LIMIT
BODIES: Final = [
    ESCAPES[: 50 * 1024],
    ESCAPES[:LIMIT],
    b"[" * LIMIT,
    (b'{"a":' * LIMIT)[:LIMIT],
    b'{"a":[' + b"[]," * (LIMIT // 4) + b"[]]}",
    b'{"a":' + b"9" * (LIMIT - 10) + b"}",
    b'{"a":0.' + b"0" * (LIMIT - 20) + b"1e-400}",
    b"{" + b",".join(b'"%d":1' % number for number in range(20_000)) + b"}",
]
# 16 KB took half a second in Python before 3.12.6, without sign-in.
COOKIE: Final = 'a="' + '\\"' * 3500 + '"'
REQUESTS: Final[list[tuple[str, str, dict[str, Any]]]] = [
    *(("POST", PATHS["horse"], {"content": body}) for body in BODIES),
    *(("POST", "/oauth/token", {"content": body[: 16 * 1024]}) for body in BODIES[1:4]),
    *(("GET", path, {"headers": {"Cookie": COOKIE}}) for path in (PATHS["driver"], "/authorize?state=a")),
    ("GET", PATHS["horse"], {"headers": {"If-None-Match": '"a' * 2500, "Accept-Encoding": "a;q=" * 1500}}),
    ("GET", PATHS["horse"], {"params": {"q": "\\" * 200, "sort": "a," * 2000, "as_of": "2026-" * 500}}),
    ("PUT", f"{PATHS['horse']}/HRS-1", {"content": b"{}", "headers": {"If-Match": '"1",' * 1800}}),
    ("POST", PATHS["horse"], {"content": b"{}", "headers": {"X-Change-Reason": "%41" * 2500}}),
]


async def attack_with_bodies(stack: Stack, actor: Actor, *, rounds: int) -> None:
    headers = {"Authorization": f"Bearer {actor.token}", "Content-Type": "application/json"}
    async with stack.async_http(headers=headers) as client:
        for _ in range(rounds):
            for method, path, more in REQUESTS:
                answer = await client.request(method, path, **more)
                assert answer.status_code < 500, (path, answer.text)


async def assert_others_are_served(stack: Stack, others: Actor, attacker: Actor, *, rounds: int) -> None:
    before, processes = head_of(stack), {name: stack.pid(name) for name in ("command-api", "query-api")}
    async with load_on(stack, others, writers=WRITERS) as load:
        async with asyncio.TaskGroup() as group:
            for _ in range(ATTACKERS):
                group.create_task(attack_with_bodies(stack, attacker, rounds=rounds))
            await load.wait_for(commands=10)
        await load.wait_for(commands=10)
    assert load.history.unknown == 0
    assert_consistent(load.history, assert_read_tables_match_log(stack), before=before)
    assert {name: stack.pid(name) for name in processes} == processes


@pytest.mark.parametrize("rounds", suite_and_soak(1, 100))
async def test_expensive_requests_delay_no_others(
    stack: Stack, asha: Actor, rohan: Actor, rounds: int
) -> None:
    await assert_others_are_served(stack, asha, rohan, rounds=rounds)


STREAMS_PER_SUBJECT = 20
AT_ONCE = 8
SECONDS = 300.0


@dataclass
class Streams:
    """Streams of one user, who keeps all connections open.

    Attributes:
        answers: the number of each status; 0: the connection was closed.
    """

    answers: Counter[int] = field(default_factory=Counter)
    connections: list[asyncio.StreamWriter] = field(default_factory=list)

    async def open(self, port: int, token: str, source: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        self.connections.append(writer)
        line = b""
        head = f"GET /api/v1/events HTTP/1.1\r\nHost: localhost:{port}\r\nAccept: text/event-stream\r\n"
        writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
        with suppress(ConnectionError):
            line = await reader.readline()
        self.answers[int(line.split()[1]) if line else 0] += 1


@asynccontextmanager
async def streams_of(port: int, token: str, count: int, source: str) -> AsyncIterator[Streams]:
    streams = Streams()
    try:
        async with asyncio.timeout(SECONDS):
            for begin in range(0, count, 100):
                many = range(begin, min(begin + 100, count))
                await asyncio.gather(*(streams.open(port, token, source) for _ in many))
        yield streams
    finally:
        for writer in streams.connections:
            writer.close()


async def work(stack: Stack, actor: Actor, count: int) -> Counter[str]:
    """Send the requests of staff, each on a new connection, and return the failures."""
    failed: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {actor.token}", "Connection": "close"}
    numbers = iter(range(count))

    async def one_after_the_other(client: httpx.AsyncClient) -> None:
        for number in numbers:
            try:
                if number % 4:
                    answer = await client.get(PATHS["horse"])
                else:
                    answer = await client.post(PATHS["horse"], json=usual_body("horse").sent)
                if not answer.is_success:
                    failed[str(answer.status_code)] += 1
            except httpx.HTTPError as error:
                failed[type(error).__name__] += 1

    async with stack.async_http(headers=headers, timeout=30) as client, asyncio.timeout(SECONDS):
        await asyncio.gather(*(one_after_the_other(client) for _ in range(AT_ONCE)))
    return failed


async def attack_and_work(
    stack: Stack, actor: Actor, *, half_sent: int, streams: int, requests: int, source: str
) -> None:
    raise_descriptor_limit()
    with HalfSentHeaders(stack.port, half_sent, source=source) as headers:
        async with streams_of(stack.port, stack.token("analyst"), streams, source) as opened:
            failed = await work(stack, actor, requests)
            print(
                f"\n{headers.opened} half-sent headers, {headers.open} of them open;"
                f" streams {dict(opened.answers)}; of {requests} requests {dict(failed)} failed"
            )
    assert opened.answers == {200: STREAMS_PER_SUBJECT, 429: streams - STREAMS_PER_SUBJECT}
    assert not failed


async def test_staff_work_while_connections_are_occupied(stack: Stack, asha: Actor) -> None:
    await attack_and_work(stack, asha, half_sent=100, streams=30, requests=20, source="127.0.0.1")


@pytest.mark.soak
@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.2"])
async def test_staff_work_while_thousands_of_connections_are_occupied(
    stack: Stack, asha: Actor, source: str
) -> None:
    """Attack from the address of staff, and from another one."""
    await attack_and_work(
        stack,
        asha,
        half_sent=soak_count(4000),
        streams=STREAMS_PER_SUBJECT + soak_count(1980),
        requests=soak_count(1000),
        source=source,
    )
