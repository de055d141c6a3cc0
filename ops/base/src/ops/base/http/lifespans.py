"""The lifespan of a service's application."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
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


def service_lifespan(
    service: str, watch: LogWatch | None, readiness: Readiness, lifespan: Lifespan
) -> Lifespan:
    """Return a service's own lifespan within tracing, the log watch and heartbeats.

    No connection is accepted before the service is ready, so that gateways use another server.
    """

    @asynccontextmanager
    async def complete(app: FastAPI) -> AsyncIterator[None]:
        require_declarations(app)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(tracing.tracing(service))
            if watch is not None:
                await stack.enter_async_context(running(watch.run))
            await stack.enter_async_context(lifespan(app))
            if watch is not None:
                health = partial(health_of, app, readiness, watch)
                instance, disk = app.state.instance, app.state.disk
                beat = Heartbeat(watch.dsn, service, health, instance=instance, disk=disk, purge=watch.purge)
                await stack.enter_async_context(running(beat.run))
                await watch.has_polled.wait()
            deadline = time.monotonic() + app.state.ready_seconds
            while time.monotonic() < deadline and not app.state.is_ending and not await is_ready():  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
            yield

    async def is_ready() -> bool:
        with suppress(psycopg.Error, PoolTimeout):
            return all(check.ok for check in (await readiness()).values())
        return False

    return complete
