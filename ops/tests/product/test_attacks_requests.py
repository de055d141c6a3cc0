"""Expensive requests: each is answered, and no other request fails."""

import asyncio
from typing import Any, Final

import pytest

from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import load_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.soak import suite_and_soak
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
