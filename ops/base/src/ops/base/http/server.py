"""Builds and runs the HTTP services."""

import asyncio
import sys
from functools import partial

import psycopg
import structlog
import uvicorn
from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect

from ops.base.database.log_watch import LogWatch
from ops.base.database.schema import UnknownSchema, require_known_schema
from ops.base.http.direct_routes import operation_id
from ops.base.http.draining import DrainingServer
from ops.base.http.health import Readiness, add_health_endpoints
from ops.base.http.lifespans import Lifespan, service_lifespan
from ops.base.http.limits import Limit
from ops.base.http.problems import Problem
from ops.base.http.protocol import ProblemProtocol
from ops.base.http.request_context import header_of
from ops.base.http.service import Service
from ops.base.observability import metrics
from ops.base.process.heap import make_full_collections_rare
from ops.base.process.resource_limits import forbid_core_dumps, raise_descriptor_limit
from ops.base.process.restart import listening, restart
from ops.base.settings import REQUESTS_PER_SUBJECT, ServiceSettings
from ops.base.sign_in.revocations import Revocations

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
        lifespan=service_lifespan(service, watch, readiness, lifespan),
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
    listener = listening(config)
    make_full_collections_rare()
    if app.state.purge is not None:
        app.state.purge.restart = partial(server.restart, listener)
    server.run([listener])
    if server.inherited is not None:
        restart(server.inherited)


async def read_body(request: Request, *, limit: int) -> bytes:
    """Read a request's body.

    Args:
        limit: the most bytes to accept.

    Raises:
        Problem: 413, as soon as the body proves longer than `limit`.
    """
    declared = header_of(request.scope, b"content-length") or ""
    size = int(declared) if declared.isdecimal() and len(declared) < 20 else 0
    body = bytearray()
    more = True
    while more and max(size, len(body)) <= limit:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(size, len(body)) > limit:
        raise Problem(413, "content-too-large", f"The body may not be longer than {limit} bytes.")
    return bytes(body)
