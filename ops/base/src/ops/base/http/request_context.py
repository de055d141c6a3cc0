"""One id per request: in its answer, in every log line, and in the event that it causes."""

import re
from collections.abc import Callable
from typing import Final

from starlette.types import Scope

REQUEST_ID_HEADER: Final = b"x-request-id"
_CLIENT_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
# A UUID, 32 hexadecimal digits, or a trace context: anything else from a client may be a name, or a phone or
# account number.
_LOGGED_REQUEST_ID = re.compile(
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
    re.ASCII,
)
_OWN_REQUEST_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
"""What old events have besides may be a client's, and say anything."""
# https://www.w3.org/TR/trace-context/#traceparent-header
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)


def request_id_of(scope: Scope) -> str:
    """Return the id of the request that `scope` belongs to: our own, whatever its client calls it."""
    return str(scope.get("fleetlog.request_id", ""))


def is_own_request_id(request_id: str | None) -> bool:
    """Tell whether a request id is certainly none of a client's."""
    return request_id is not None and _OWN_REQUEST_ID.fullmatch(request_id) is not None


def client_request_id_of(scope: Scope) -> str | None:
    """Return what the client calls its request; None: nothing, or nothing harmless."""
    return _received(scope, REQUEST_ID_HEADER, _CLIENT_REQUEST_ID)


def logged_request_id_of(scope: Scope) -> str | None:
    """Return what the client calls its request, if its form shows that it is no personal data."""
    return _received(scope, REQUEST_ID_HEADER, _LOGGED_REQUEST_ID)


def traceparent_of(scope: Scope) -> str | None:
    """Return the W3C trace context of what a request causes: its own span's, else the client's, if any."""
    own: str | None = scope.get("fleetlog.traceparent")
    return own or parent_trace_of(scope)


def parent_trace_of(scope: Scope) -> str | None:
    """Return the W3C trace context that the client sent, if any."""
    return _received(scope, b"traceparent", _TRACEPARENT)


def when_answered(scope: Scope, callback: Callable[[], None]) -> None:
    """Have something called when a request's answer has ended, however it did."""
    scope["fleetlog.when_answered"].append(callback)


def headers_of(scope: Scope, name: bytes) -> list[str]:
    """Return a request's headers of a name, which is in small letters, in their order."""
    by_name: dict[bytes, list[bytes]] | None = scope.get("fleetlog.headers")
    if by_name is None:  # once for all who ask: looking through all of them for each takes longer
        by_name = scope["fleetlog.headers"] = {}
        for key, value in scope["headers"]:
            by_name.setdefault(key, []).append(value)
    return [value.decode("latin-1") for value in by_name.get(name, ())]


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a request's first header of a name, which is in small letters."""
    values = headers_of(scope, name)
    return values[0] if values else None


def _received(scope: Scope, name: bytes, form: re.Pattern[str]) -> str | None:
    """Return a header of a request, if it has one of this form."""
    text = header_of(scope, name)
    return text if text is not None and form.fullmatch(text) else None
