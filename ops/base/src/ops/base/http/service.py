"""A service as an application: its routes, and one layer around every request."""

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final

import psycopg
import structlog
from fastapi import FastAPI
from opentelemetry.trace import Span, SpanKind
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.types import Message, Receive, Scope, Send

from ops.base.database.log_watch import LogWatch
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.direct_routes import DirectRoute, RoutesByPath
from ops.base.http.problems import Problem, problem_response, unavailable
from ops.base.http.request_context import REQUEST_ID_HEADER, logged_request_id_of, parent_trace_of
from ops.base.observability import tracing
from ops.base.observability.telemetry import LOG_CONTEXT, log_request
from ops.base.process.sampling import count_request
from ops.base.records.operations import SYSTEM_PATH

_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")
_OPERATORS_PATHS: Final = frozenset({"/livez", "/readyz", "/metrics"})
_REFUSED_WHILE_STOPPED: Final = "/api/"
_SLUGS: Final = {404: "not-found", 405: "method-not-allowed"}
_DETAILS: Final = {
    404: "There is nothing at this address.",
    405: "This address does not know that method.",
}

logger = structlog.get_logger()


class Service(FastAPI):
    """FastAPI's routes and documents, with one layer in place of its middleware.

    The layer gives each request an id, answers exceptions, and logs and counts requests. A client's own
    `X-Request-Id` is logged too, if its form excludes personal data.
    """

    def __init__(
        self,
        *,
        name: str,
        watch: LogWatch | None = None,
        answer_seconds: float | None = None,
        **options: Any,
    ) -> None:
        """Create a service, whose routes are direct.

        Args:
            name: for logs and metrics, such as `command-api`.
            watch: reports whether the log may be served; None: the service knows no log.
            answer_seconds: how long a request may take before it is answered with 503; None: any time.
            options: of `FastAPI`.
        """
        super().__init__(**options)
        self.router.route_class = DirectRoute
        self._name = name
        self._watch = watch
        self._answer_seconds = answer_seconds

    @cached_property
    def _routes(self) -> RoutesByPath:
        return RoutesByPath(self.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        request_id = scope["fleetlog.request_id"] = secrets.token_hex(16)
        ended: list[Callable[[], None]] = []
        scope["fleetlog.when_answered"] = ended
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (REQUEST_ID_HEADER, request_id.encode())]
            await send(message)

        started = time.perf_counter()
        with _span_of(scope) as span:
            traceparent = scope["fleetlog.traceparent"] = tracing.traceparent_of(span)
            context = {
                "request_id": request_id,
                "client_request_id": logged_request_id_of(scope),
                "traceparent": traceparent,
            }
            reset = LOG_CONTEXT.set({name: value for name, value in context.items() if value})
            try:
                await self._answer(scope, receive, send_with_id)
            except ClientDisconnect:
                logger.info("client_disconnected")
            except (Exception, asyncio.CancelledError) as error:
                problem = None if status else problem_of(error, scope)
                if problem is None and not isinstance(error, asyncio.CancelledError):
                    logger.exception("unexpected_error")
                if status:
                    raise  # the answer has begun, so the connection is closed
                problem = problem or Problem(500, "internal", "Something went wrong on our side.")
                await problem_response(problem, request_id)(scope, receive, send_with_id)
            finally:
                for callback in ended:
                    callback()
                self._record(scope, status, time.perf_counter() - started, span)
                LOG_CONTEXT.reset(reset)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        stopped = self._watch is not None and self._watch.stopped
        path = scope["path"]
        if stopped and path.startswith(_REFUSED_WHILE_STOPPED) and not path.startswith(SYSTEM_PATH):
            raise unavailable(
                "The data was restored from a backup, and an operator must accept it first.", retry_after=10
            )
        route = self._routes.find(scope) or self.router
        async with asyncio.timeout(self._answer_seconds):
            await route(scope, receive, send)

    def _record(self, scope: Scope, status: int, seconds: float, span: Span) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        if route in _OPERATORS_PATHS:
            return
        method = _method_of(scope)
        if tracing.is_on():
            span.update_name(f"{method} {route}")
            span.set_attributes({"http.route": route, "http.response.status_code": status})
            if status >= 500:
                tracing.fail(span, str(status))
        count_request(self._name, method, route, status, seconds)
        log_request(method, route, status, seconds)


def problem_of(error: BaseException, scope: Scope) -> Problem | None:  # noqa: PLR0911 - one for each kind
    """Return the problem of an error; None for an unexpected error."""
    match error:
        case Problem():
            return error
        case HTTPException(status_code=status):
            headers = {**(error.headers or {}), **(_allowed(scope) if status == 405 else {})}
            detail = _DETAILS.get(status, "The request cannot be answered.")
            return Problem(status, _SLUGS.get(status, "invalid-request"), detail, headers=headers)
        case TimeoutError() | asyncio.CancelledError():  # uvicorn cancels requests when the process must end
            return unavailable("This took too long, and may have been done or not. Please try again.")
        case TooManyRequests():
            return unavailable("Too many ask for this at the same time. Please try again.")
        case KeysUnavailable():
            logger.error("keys_unavailable", error=str(error))
            return unavailable("Encrypted data cannot be read now. Please try again.")
        case psycopg.OperationalError() | PoolTimeout() | PoolClosed():
            logger.warning("database_unavailable", error=type(error).__name__)
            return unavailable("The database cannot be reached now. Please try again.")
        case _:
            return None


def _allowed(scope: Scope) -> dict[str, str]:
    """All methods of an address; the error itself knows those of one route only."""
    known = (
        method
        for method in _METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in scope["app"].routes)
    )
    return {"Allow": ", ".join(known)}


def _method_of(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


def _span_of(scope: Scope) -> AbstractContextManager[Span]:
    if not tracing.is_on() or scope["path"] in _OPERATORS_PATHS:
        return tracing.NOT_TRACED
    method = _method_of(scope)
    attributes = {"http.request.method": method}
    return tracing.span(method, kind=SpanKind.SERVER, parent=parent_trace_of(scope), attributes=attributes)
