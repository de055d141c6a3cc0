"""Metrics of retries and conflicts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from command_api_testing.fleet import new_body, path_of, register, version_of
from command_api_testing.log_in_memory import LogInMemory

from command_api.event_store.records import StreamPage
from ops.testing.metrics import sample


@asynccontextmanager
async def counted(name: str, **labels: str) -> AsyncIterator[None]:
    """Expect that the metric increases by one."""
    before = sample(name, **labels)
    yield
    assert sample(name, **labels) == before + 1


async def test_a_repeated_command_is_counted(client: httpx.AsyncClient) -> None:
    key, body = {"Idempotency-Key": "metrics-1"}, new_body("horse")
    first = await client.post(path_of("horse"), json=body, headers=key)
    async with counted("fleetlog_command_repeats_total"):
        again = await client.post(path_of("horse"), json=body, headers=key)
    assert again.headers["location"] == first.headers["location"]


async def test_failed_precondition_is_counted_as_refused(client: httpx.AsyncClient) -> None:
    address, _ = await register(client, "horse")
    async with counted("fleetlog_command_conflicts_total", outcome="refused"):
        answer = await client.put(address, json=new_body("horse"), headers={"If-Match": '"7"'})
    assert answer.status_code == 412


async def test_lost_race_with_another_process_is_counted_as_retried(
    client: httpx.AsyncClient, log: LogInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, _ = await register(client, "horse")
    read = log.page
    both_have_read = asyncio.Barrier(2)

    async def read_together(originator_id: str, *, after: int = 0) -> StreamPage:
        page = await read(originator_id, after=after)
        if after == 1:
            await both_have_read.wait()
        return page

    monkeypatch.setattr(log, "page", read_together)
    # Locks do not work across processes.
    monkeypatch.setattr("command_api.commands.execution.asyncio.Lock", UnheededLock)
    async with counted("fleetlog_command_conflicts_total", outcome="retried"):
        answers = await asyncio.gather(
            *(client.put(address, json=new_body("horse", owner=owner)) for owner in ("Asha", "Daniel"))
        )
    assert sorted(map(version_of, answers)) == [2, 3]


class UnheededLock(asyncio.Lock):
    """A lock without effect."""

    async def acquire(self) -> bool:  # type: ignore[override]
        return True

    def release(self) -> None:
        pass


async def test_the_running_version_is_reported(client: httpx.AsyncClient) -> None:
    reported = (await client.get("/metrics")).text
    assert 'fleetlog_build_info{service="command-api",version="0.1.0"} 1.0' in reported
