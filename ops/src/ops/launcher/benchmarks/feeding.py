"""The feed: how fast one catches up, how soon all know of what happens, and what those cost who only wait."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import httpx
import psutil
import psycopg

from ops.launcher.benchmarks import bodies
from ops.launcher.benchmarks.bodies import DRIVERS
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import UNIQUE
from ops.launcher.benchmarks.measuring import Row
from ops.launcher.benchmarks.samples import Sample, Summary
from ops.launcher.errors import LauncherError

CATCH_UP_RATE: Final = 20_000
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
    with (
        psycopg.connect(instance.owner_dsn) as connection,
        connection.cursor() as cursor,
        cursor.copy(_COPY) as copy,
    ):
        copied = sum(bytes(data).count(b"\n") for data in copy)
    floor = Summary(copied / (time.perf_counter() - began), None, None, copied, 0, 0)
    process = psutil.Process(instance.pid("query-api"))
    before, lines, size = process.cpu_times().user, 0, 0
    began = time.perf_counter()
    with httpx.stream(
        "GET",
        f"http://127.0.0.1:{instance.port('query-api')}{_EVENTS}?format=ndjson",
        headers={"Authorization": f"Bearer {instance.token('analyst')}"},
        timeout=_PATIENCE_SECONDS,
        trust_env=False,
    ) as answer:
        if not answer.is_success:
            raise LauncherError(f"the feed was answered {answer.status_code}")
        for data in answer.iter_raw():
            lines, size = lines + data.count(b"\n"), size + len(data)
    seconds = time.perf_counter() - began
    busy = process.cpu_times().user - before
    subject = Summary(lines / seconds, None, None, lines, errors=copied - lines, missed=0)
    return Row(
        name="feed-catch-up",
        connections=1,
        subject=subject,
        floor=floor,
        floor_name="COPY of what the events are made of",
        ratio=subject.rate / floor.rate,
        aim=f"{CATCH_UP_RATE:,}/s",
        met=subject.rate >= CATCH_UP_RATE,
        note=f"{size / _MEGABYTE:,.0f} MB; {busy / lines * 1e6:.0f} µs of the query API's processor an event",
    )


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
    return _row("feed-visible", 1, Summary.of([sample]), "from a command's sending to its server-sent event")


async def _idle(instance: Instance, sizes: Sizes) -> Row:
    """Let many wait for nothing, and then time how soon all of them have an event."""
    process = psutil.Process(instance.pid("query-api"))
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
    return _row("feed-idle", sizes.subscribers, Summary.of([sample]), note)


@contextlib.asynccontextmanager
async def _commands(instance: Instance) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {instance.token()}", "Content-Type": "application/json"}
    origin = f"http://127.0.0.1:{instance.port('command-api')}"
    async with httpx.AsyncClient(base_url=origin, headers=headers, timeout=30, trust_env=False) as client:
        yield client


async def _send(client: httpx.AsyncClient, name: str) -> None:
    body = bodies.driver(f"{name}-{UNIQUE}").replace(UNIQUE, f"{time.time_ns():x}"[-12:])
    answer = await client.post(DRIVERS, content=body)
    if not answer.is_success:
        raise LauncherError(f"a command was answered {answer.status_code}")


@contextlib.asynccontextmanager
async def _subscribed(instance: Instance, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    request = (
        f"GET {_EVENTS}?after=head HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        f"Authorization: Bearer {instance.token('analyst')}\r\n\r\n"
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


def _row(name: str, connections: int, subject: Summary, note: str) -> Row:
    return Row(
        name=name,
        connections=connections,
        subject=subject,
        floor=None,
        floor_name="",
        ratio=None,
        aim="",
        met=None,
        note=note,
    )
