"""Lifespan wrappers that all services share."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Final

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.database.log_watch import LogWatch
from ops.base.http.health import Readiness, health_of
from ops.base.observability import tracing
from ops.base.process.heartbeat import Heartbeat
from ops.base.process.tasks import running
from ops.base.sign_in.dependency import require_declarations

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

_POLL_SECONDS: Final = 0.05


def traced(service: str, lifespan: Lifespan) -> Lifespan:
    """Send spans if the environment configures a receiver."""

    @asynccontextmanager
    async def both(app: FastAPI) -> AsyncIterator[None]:
        async with tracing.tracing(service), lifespan(app):
            yield

    return both


def watching(watch: LogWatch, lifespan: Lifespan) -> Lifespan:
    """Poll the log's state, for the first time before requests are accepted."""

    @asynccontextmanager
    async def both(app: FastAPI) -> AsyncIterator[None]:
        async with running(watch.run), lifespan(app):
            await watch.has_polled.wait()
            yield

    return both


def reporting(service: str, watch: LogWatch, readiness: Readiness, lifespan: Lifespan) -> Lifespan:
    """Send heartbeats; see `Heartbeat`."""

    @asynccontextmanager
    async def both(app: FastAPI) -> AsyncIterator[None]:
        heartbeat = Heartbeat(
            watch.dsn,
            service,
            partial(health_of, app, readiness, watch),
            instance=app.state.instance,
            disk=app.state.disk,
            purge=watch.purge,
        )
        async with lifespan(app), running(heartbeat.run):
            yield

    return both


def declared_first(lifespan: Lifespan) -> Lifespan:
    """Refuse to start unless each route declares its permissions."""

    @asynccontextmanager
    async def checked(app: FastAPI) -> AsyncIterator[None]:
        require_declarations(app)
        async with lifespan(app):
            yield

    return checked


def ready_first(lifespan: Lifespan, readiness: Readiness) -> Lifespan:
    """Accept no connection before the service is ready, so that gateways use another server."""

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app):
            deadline = time.monotonic() + app.state.ready_seconds
            while time.monotonic() < deadline and not app.state.is_ending and not await is_ready():  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
            yield

    async def is_ready() -> bool:
        with suppress(psycopg.Error, PoolTimeout):
            return all(check.ok for check in (await readiness()).values())
        return False

    return opened
