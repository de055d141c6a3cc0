"""One id per request: in its answer, in every log line, and in the event that it causes."""

import re
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ops.base import metrics, tracing
from ops.base.problems import Problem, problem_response
from ops.base.telemetry import LOG_CONTEXT

_REQUEST_ID_HEADER: Final = b"x-request-id"
_CLIENT_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
# https://www.w3.org/TR/trace-context/#traceparent-header
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)

logger = structlog.get_logger()


def request_id_of(scope: Scope) -> str:
    """Return the id of the request that `scope` belongs to: our own, whatever its client calls it."""
    return str(scope.get("fleetlog.request_id", ""))


def client_request_id_of(scope: Scope) -> str | None:
    """Return what the client calls its request; None: nothing, or nothing harmless."""
    return _received(scope, _REQUEST_ID_HEADER, _CLIENT_REQUEST_ID)


def traceparent_of(scope: Scope) -> str | None:
    """Return the W3C trace context of what a request causes: its own span's, else the client's, if any."""
    own: str | None = scope.get("fleetlog.traceparent")
    return own or _received(scope, b"traceparent", _TRACEPARENT)


def when_answered(scope: Scope, callback: Callable[[], None]) -> None:
    """Have something called when a request's answer has ended, however it did."""
    scope["fleetlog.when_answered"].append(callback)


def _received(scope: Scope, name: bytes, form: re.Pattern[str]) -> str | None:
    """Return a header of a request, if it has one of this form."""
    for key, value in scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text if form.fullmatch(text) else None
    return None


class RequestContextMiddleware:
    """Gives every request an id, logs and counts it, and answers what nobody caught.

    A client's own `X-Request-Id` is kept beside it where it is harmless: requests can be found by it.
    """

    def __init__(self, app: ASGIApp, *, service: str) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection; only HTTP requests are of interest."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(16)
        scope["fleetlog.request_id"] = request_id
        ended: list[Callable[[], None]] = []
        scope["fleetlog.when_answered"] = ended
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (_REQUEST_ID_HEADER, request_id.encode())]
            await send(message)

        started = time.perf_counter()
        with _span_of(scope) as span:
            scope["fleetlog.traceparent"] = span.traceparent
            reported = LOG_CONTEXT.set(_told(request_id, client_request_id_of(scope), span))
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
                for callback in ended:
                    callback()
                self._record(scope, status, time.perf_counter() - started, span)
                LOG_CONTEXT.reset(reported)

    def _record(self, scope: Scope, status: int, seconds: float, span: tracing.Span) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        if route in _OPERATORS_PATHS:
            return
        method = _method_of(scope)
        if tracing.is_on():
            span.tell({"http.route": route, "http.response.status_code": status}, name=f"{method} {route}")
            if status >= 500:
                span.fail(str(status))
        requests, request_seconds = metrics.of_requests(self._service, method, route, status)
        requests.inc()
        request_seconds.observe(seconds)
        logger.info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
_OPERATORS_PATHS = frozenset({"/livez", "/readyz", "/metrics"})


def _method_of(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


def _told(request_id: str, client_request_id: str | None, span: tracing.Span) -> dict[str, str]:
    """What every line of the log says of the request it belongs to."""
    reported = {"request_id": request_id}
    if client_request_id:
        reported["client_request_id"] = client_request_id
    if span.traceparent:
        reported["traceparent"] = span.traceparent
    return reported


def _span_of(scope: Scope) -> AbstractContextManager[tracing.Span]:
    if not tracing.is_on() or scope["path"] in _OPERATORS_PATHS:
        return tracing.NOT_TRACED
    method = _method_of(scope)
    return tracing.span(
        method,
        kind="server",
        parent=_received(scope, b"traceparent", _TRACEPARENT),
        attributes={"http.request.method": method},
    )
