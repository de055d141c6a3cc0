"""One id per request: in its answer, in every log line, and in the event that it causes."""

import re
import time
import uuid
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ops.base import metrics
from ops.base.problems import Problem, problem_response

REQUEST_ID_HEADER: Final = "X-Request-Id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
# https://www.w3.org/TR/trace-context/#traceparent-header
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)

logger = structlog.get_logger()


def request_id_of(scope: Scope) -> str:
    """Return the id of the request that `scope` belongs to."""
    return str(scope.get("fleetlog.request_id", ""))


def traceparent_of(headers: Headers) -> str | None:
    """Return the request's W3C trace context, if it has a well-formed one."""
    value = headers.get("traceparent", "")
    return value if _TRACEPARENT.fullmatch(value) else None


class RequestContextMiddleware:
    """Gives every request an id, logs and counts it, and answers what nobody caught.

    A client's own `X-Request-Id` is kept when it is harmless, so that traces can cross services.
    """

    def __init__(self, app: ASGIApp, *, service: str) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection; only HTTP requests are of interest."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope["fleetlog.request_id"] = request_id
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            except ClientDisconnect:
                logger.info("client_disconnected")
            except Exception:
                logger.exception("unexpected_error")
                if status:
                    raise  # an answer has begun: only breaking it off can tell the client
                problem = Problem(500, "internal", "Something went wrong on our side.")
                await problem_response(problem, request_id)(scope, receive, send_with_id)
            finally:
                self._record(scope, status, time.perf_counter() - started)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        if route in {"/livez", "/readyz", "/metrics"}:
            return
        method = scope["method"] if scope["method"] in _METHODS else "other"
        requests, request_seconds = metrics.of_requests(self._service, method, route, status)
        requests.inc()
        request_seconds.observe(seconds)
        logger.info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
