"""The feed: how fast one catches up, how soon all know of what happens, and what those cost who only wait."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import httpx

from ops.development.benchmarks.bodies import DRIVERS, body
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.jobs import UNIQUE
from ops.development.benchmarks.measuring import Aim, Row
from ops.development.benchmarks.samples import Sample, Summary
from ops.launcher.errors import LauncherError

_CATCH_UP_AIM: Final = Aim(rate=20_000)
_EVENTS: Final = "/api/v1/events"
_MEGABYTE: Final = 1_000_000
_PATIENCE_SECONDS: Final = 60.0
_PACE_SECONDS: Final = 0.05
"""Between commands: many for a back-office, and far from what the machine can do."""

# What the feed is made of, as the database itself gives it.
_COPY: Final = """
COPY (
  SELECT position, entity, entity_id, type, moment, public_event
  FROM read.revisions ORDER BY position
) TO STDOUT
"""


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        commands: whose way to a subscriber is timed.
        subscribers: who wait for nothing.
        idle_seconds: for which they do so.
    """

    commands: int = 100
    subscribers: int = 500
    idle_seconds: float = 10.0


def run(instance: Instance, sizes: Sizes) -> list[Row]:
    """Measure the feed of an instance whose log is as long as it is to be.

    Raises:
        LauncherError: the feed refuses.
    """
    return [
        _catch_up(instance),
        asyncio.run(_visible(instance, sizes.commands)),
        asyncio.run(_idle(instance, sizes)),
    ]


def _catch_up(instance: Instance) -> Row:
    """Read everything as lines, beside COPY of what they are made of."""
    began = time.perf_counter()
    copied = sum(data.count(b"\n") for data in instance.copy(_COPY))
    floor = Summary.at(copied, time.perf_counter() - began)
    process = instance.process("query-api")
    before, lines, size = process.cpu_times().user, 0, 0
    began = time.perf_counter()
    for data in instance.read_all(f"{_EVENTS}?format=ndjson", "analyst"):
        lines, size = lines + data.count(b"\n"), size + len(data)
    subject = Summary.at(lines, time.perf_counter() - began, errors=copied - lines)
    busy = process.cpu_times().user - before
    note = f"{size / _MEGABYTE:,.0f} MB; {busy / lines * 1e6:.0f} µs of the query API's processor an event"
    what = "COPY of what the events are made of"
    return Row.once("feed-catch-up", subject, floor, what, aim=_CATCH_UP_AIM, note=note)


async def _visible(instance: Instance, commands: int) -> Row:
    """Time commands from their sending until a subscriber has their events."""
    async with _commands(instance) as client, _subscribed(instance, 1) as (stream,):
        latencies = []
        began = time.perf_counter()
        for number in range(commands):
            sent = time.perf_counter()
            await _send(client, f"FEED-{number}")
            await _next_event(stream)
            latencies.append(round((time.perf_counter() - sent) * 1e6))
            await asyncio.sleep(_PACE_SECONDS)
        sample = Sample(time.perf_counter() - began, latencies)
    note = "from a command's sending to its server-sent event"
    return Row("feed-visible", Summary.of([sample]), note=note)


async def _idle(instance: Instance, sizes: Sizes) -> Row:
    """Let many wait for nothing, and then time how soon all of them have an event."""
    process = instance.process("query-api")
    memory = process.memory_info().rss
    async with _commands(instance) as client, _subscribed(instance, sizes.subscribers) as streams:
        grown = process.memory_info().rss - memory
        busy = sum(process.cpu_times()[:2])
        await asyncio.sleep(sizes.idle_seconds)
        busy = sum(process.cpu_times()[:2]) - busy
        sent = time.perf_counter()
        await _send(client, "FEED-IDLE")
        latencies = await asyncio.gather(*(_seconds_to_event(stream, sent) for stream in streams))
        sample = Sample(max(latencies), [round(seconds * 1e6) for seconds in latencies])
    note = (
        f"{sizes.subscribers} idle subscribers: {grown / _MEGABYTE:.1f} MB more memory"
        f" ({grown / sizes.subscribers / 1000:.0f} kB each),"
        f" {busy / sizes.idle_seconds:.1%} of a processor; then one event for all of them"
    )
    return Row("feed-idle", Summary.of([sample]), sizes.subscribers, note=note)


@contextlib.asynccontextmanager
async def _commands(instance: Instance) -> AsyncIterator[httpx.AsyncClient]:
    headers = {**instance.headers(), "Content-Type": "application/json"}
    origin = f"http://127.0.0.1:{instance.port('command-api')}"
    async with httpx.AsyncClient(base_url=origin, headers=headers, timeout=30, trust_env=False) as client:
        yield client


async def _send(client: httpx.AsyncClient, name: str) -> None:
    text = body("driver", f"{name}-{UNIQUE}").replace(UNIQUE, f"{time.time_ns():x}"[-12:])
    answer = await client.post(DRIVERS, content=text)
    if not answer.is_success:
        raise LauncherError(f"a command was answered {answer.status_code}")


@contextlib.asynccontextmanager
async def _subscribed(instance: Instance, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    request = (
        f"GET {_EVENTS}?after=head HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        f"Authorization: {instance.headers('analyst')['Authorization']}\r\n\r\n"
    ).encode()
    async with contextlib.AsyncExitStack() as stack:
        streams = []
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", instance.port("query-api"))
            stack.callback(writer.close)
            writer.write(request)
            await reader.readuntil(b"\nid: ")  # it has begun
            streams.append(reader)
        yield streams


async def _next_event(stream: asyncio.StreamReader) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await stream.readuntil(b"\ndata: ")


async def _seconds_to_event(stream: asyncio.StreamReader, since: float) -> float:
    await _next_event(stream)
    return time.perf_counter() - since
