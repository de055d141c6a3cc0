"""The longest history costs each service less than 100 MiB of memory, with eight readers at once."""

import asyncio
import base64
import random
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from ops.testing.http_servers import pages_of
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.product.read_tables import wait_until_caught_up
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack

pytestmark = [pytest.mark.integration, pytest.mark.soak, pytest.mark.timeout(3600)]

SERVICES: Final = ("command-api", "query-api", "projections")
CHANGES: Final = 241
LONG: Final = 245_000
READERS: Final = 8
MOST_GROWTH: Final = 100 * 1024
"""In KiB."""


def memory(stack: Stack, figure: str) -> dict[str, int]:
    """Return a figure of proc_pid_status(5) in KiB, by service."""
    texts = {name: Path(f"/proc/{stack.pid(name)}/status").read_text() for name in SERVICES}
    return {name: int(text.partition(f"{figure}:")[2].split()[0]) for name, text in texts.items()}


def reset_peaks(stack: Stack) -> None:
    """Reset VmHWM to the current size; see proc_pid_clear_refs(5)."""
    for name in SERVICES:
        Path(f"/proc/{stack.pid(name)}/clear_refs").write_text("5")


async def change(client: httpx.AsyncClient, address: str, count: int) -> None:
    """Change a horse with long texts, every fourth of which compresses well."""
    chance = random.Random(1)
    for number in range(count):
        text = "x" * LONG if number % 4 == 0 else base64.b64encode(chance.randbytes(LONG * 3 // 4)).decode()
        body = usual_body("horse", metadata={"note": f"{text}{number}"}).sent
        (await client.put(address, json=body)).raise_for_status()


async def read_pages(client: httpx.AsyncClient, path: str, **parameters: Any) -> int:
    """Read all pages, and return the number of their entries."""
    pages = pages_of(client, path, limit=1000, **parameters)
    return sum([len(page.json()["content"]) async for page in pages])


async def export(client: httpx.AsyncClient, path: str, **parameters: Any) -> int:
    """Read an export, and return the number of its lines."""
    async with client.stream("GET", path, params=parameters) as answer:
        return sum([piece.count(b"\n") async for piece in answer.raise_for_status().aiter_bytes()])


async def test_longest_history_is_written_and_read_in_bounded_memory() -> None:
    with running_stack() as stack:
        async with stack.async_http(stack.token("auditor"), timeout=120) as auditor:
            async with stack.async_http(timeout=120) as staff:
                made = await staff.post(PATHS["horse"], json=usual_body("horse").sent)
                address, count = made.headers["location"], soak_count(CHANGES)
                horse = address.rpartition("/")[2]
                await change(staff, address, 2)
                await read_pages(auditor, f"{address}/history")
                before = memory(stack, "VmRSS")
                reset_peaks(stack)
                await change(staff, address, count)
            wait_until_caught_up(stack, seconds=600)
            reads = [
                *((read_pages, f"{address}/history", {"order": order}) for order in ("asc", "desc")),
                (read_pages, "/api/v1/audit", {"id": horse}),
                (export, "/api/v1/audit", {"id": horse, "format": "csv", "reveal": "true"}),
                (export, "/api/v1/events", {"format": "ndjson", "after": "0"}),
            ]
            for read, path, more in reads:
                found = await asyncio.gather(*(read(auditor, path, **more) for _ in range(READERS)))
                assert len(set(found)) == 1, (path, more)
                assert found[0] >= count
        growth = {name: most - before[name] for name, most in memory(stack, "VmHWM").items()}
    print(f"\nmemory grew by { ({name: f'{kib >> 10} MiB' for name, kib in growth.items()}) }")
    assert max(growth.values()) < MOST_GROWTH, growth
