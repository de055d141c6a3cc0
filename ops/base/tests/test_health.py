"""Readiness while checks themselves fail, or background tasks have failed."""

import asyncio
import sys
from typing import cast

import psycopg
import pytest
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.http import health
from ops.base.http.health import Health, ReadinessCheck, health_of
from ops.base.observability.log_stream import LogStream
from ops.base.process import tasks


async def result_of(check: ReadinessCheck | Exception | None) -> Health:
    async def readiness() -> dict[str, ReadinessCheck]:
        if check is None:
            await asyncio.sleep(3600)
        if isinstance(check, Exception):
            raise check
        return {"check": cast("ReadinessCheck", check)}

    app = FastAPI()
    app.state.is_ending = False
    return await health_of(app, readiness, None)


@pytest.fixture(autouse=True)
def no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what failed in other tests."""
    monkeypatch.setattr(tasks, "_failures", {})


@pytest.mark.parametrize("error", [psycopg.OperationalError(), PoolTimeout()])
async def test_checks_that_cannot_reach_the_database_name_it(error: Exception) -> None:
    result = await result_of(error)
    assert (result.ready, result.reason) == (False, f"database: {type(error).__name__}")


async def test_unresponsive_checks_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_SECONDS", 0.05)
    result = await result_of(None)
    assert (result.ready, result.reason) == (False, "database: TimeoutError")


async def test_a_task_that_failed_lately_makes_a_service_degraded() -> None:
    failed = asyncio.Event()

    async def fails() -> None:
        failed.set()
        raise OSError

    assert not (await result_of(ReadinessCheck(ok=True))).degraded
    async with tasks.running(fails):
        await failed.wait()
        await asyncio.sleep(0)
        result = await result_of(ReadinessCheck(ok=True))
    assert result.ready
    assert result.degraded
    assert "fails (OSError)" in str(result.reason)


async def test_lost_log_lines_degrade_a_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open("/dev/full", "wb") as full, open("/dev/null", "wb") as free:  # noqa: ASYNC230, PTH123 - devices
        for device, expected in ((full, "logging: log lines cannot be written"), (free, None)):
            stream = LogStream(device.fileno())
            stream.write("line\n")
            monkeypatch.setattr(sys, "stderr", stream)
            result = await result_of(ReadinessCheck(ok=True))
            assert (result.ready, result.reason) == (True, expected)
