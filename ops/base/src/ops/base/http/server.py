"""Builds and runs the HTTP services."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Final, Never

import psycopg
import structlog
import uvicorn
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.database.log_watch import LogWatch
from ops.base.database.schema import UnknownSchema, require_known_schema
from ops.base.http.direct_routes import operation_id
from ops.base.http.draining import DrainingServer
from ops.base.http.health import Readiness, add_health_endpoints, health_of
from ops.base.http.limits import Limit
from ops.base.http.protocol import ProblemProtocol
from ops.base.http.service import Service
from ops.base.observability import metrics, tracing
from ops.base.process.heap import make_full_collections_rare
from ops.base.process.heartbeat import Heartbeat
from ops.base.process.resource_limits import forbid_core_dumps, raise_descriptor_limit
from ops.base.process.tasks import running
from ops.base.settings import REQUESTS_PER_SUBJECT, ServiceSettings
from ops.base.sign_in.dependency import require_declarations
from ops.base.sign_in.revocations import Revocations

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

_READY_POLL_SECONDS: Final = 0.05
_INHERITED: Final = "FLEETLOG_HANDED_ON"
"""Environment variable with the descriptor of the listening socket that a restarted process inherits."""

logger = structlog.get_logger()


def create_app(
    *,
    service: str,
    title: str,
    description: str,
    readiness: Readiness,
    lifespan: Lifespan,
    watch: LogWatch | None = None,
    requests_per_subject: int = REQUESTS_PER_SUBJECT,
    answer_seconds: float | None = None,
) -> FastAPI:
    """Build a service's application: its routes are added by the caller.

    Args:
        service: short name for logs and metrics, such as `command-api`.
        readiness: checks whose failure makes `/readyz` answer 503.
        watch: reports whether the log may be served; None: the service knows no log.
        answer_seconds: how long a request may take before it is answered with 503; None: any time.
    """
    app = Service(
        name=service,
        watch=watch,
        answer_seconds=answer_seconds,
        title=title,
        description=description,
        version="1",
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_service_lifespan(service, watch, readiness, lifespan),
        generate_unique_id_function=operation_id,
        # Logs and metrics are our own; looking for another provider at each request costs time.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.is_ending, app.state.ready_seconds = False, 0.0  # see `serve`
    app.state.instance, app.state.disk = "", None  # as above
    app.state.purge = None if watch is None else watch.purge
    followed = None if watch is None else watch.revocations
    app.state.revocations = followed or Revocations(followed=False)
    app.state.requests_per_subject = Limit("requests-of-subject", requests_per_subject)
    metrics.set_build(service)
    add_health_endpoints(app, readiness, watch)
    return app


def _service_lifespan(
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
                await asyncio.sleep(_READY_POLL_SECONDS)
            yield

    async def is_ready() -> bool:
        with suppress(psycopg.Error, PoolTimeout):
            return all(check.ok for check in (await readiness()).values())
        return False

    return complete


def serve(app: FastAPI, settings: ServiceSettings) -> None:
    """Serve an application until SIGINT or SIGTERM, in this process; it restarts after an erasure.

    One process, so that ending it ends the service: nothing is left holding its port.

    Raises:
        SystemExit: the database has a schema that this release does not know. One that is away now is asked
            as soon as it can be: see `LogWatch`.
    """
    forbid_core_dumps()
    try:
        asyncio.run(require_known_schema(settings.database.get_secret_value()))
    except UnknownSchema as error:
        sys.exit(f"Not possible: {error}")
    except psycopg.OperationalError as error:
        logger.warning("database_unavailable", error=type(error).__name__)
    app.state.ready_seconds = settings.ready_seconds
    app.state.instance, app.state.disk = settings.instance, settings.disk
    raise_descriptor_limit()
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=ProblemProtocol,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    server = DrainingServer(config, app, seconds=settings.drain_seconds, stall_seconds=settings.stall_seconds)
    descriptor = os.environ.pop(_INHERITED, None)
    listener = config.bind_socket() if descriptor is None else socket.socket(fileno=int(descriptor))
    make_full_collections_rare()
    if app.state.purge is not None:
        app.state.purge.restart = partial(server.restart, listener)
    server.run([listener])
    if server.inherited is not None:
        _restart(server.inherited)


def _restart(listener: socket.socket) -> Never:
    """Replace this process with the same program, which inherits the socket: connections wait in its queue.

    Python cannot overwrite freed memory, so a process restarts after an erasure.
    """
    listener.set_inheritable(True)
    os.environ[_INHERITED] = str(listener.fileno())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - our own
