"""Request ids, trace contexts, headers and bodies of requests."""

import re
from collections.abc import Callable
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from ops.base.http.problems import Problem

REQUEST_ID_HEADER: Final = b"x-request-id"
_CLIENT_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
# A UUID, 32 hexadecimal digits, or a trace context: anything else from a client may be a name, or a phone or
# account number.
_LOGGED_REQUEST_ID = re.compile(
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
    re.ASCII,
)
_OWN_REQUEST_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
"""Events of other applications may have request ids with any content."""
# https://www.w3.org/TR/trace-context/#traceparent-header
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)


def request_id_of(scope: Scope) -> str:
    """Return the generated id of a request."""
    return str(scope.get("fleetlog.request_id", ""))


def is_own_request_id(request_id: str | None) -> bool:
    """Return whether a request id has the form of a generated one."""
    return request_id is not None and _OWN_REQUEST_ID.fullmatch(request_id) is not None


def client_request_id_of(scope: Scope) -> str | None:
    """Return the client's request id, or None if it is missing or malformed."""
    return _received(scope, REQUEST_ID_HEADER, _CLIENT_REQUEST_ID)


def logged_request_id_of(scope: Scope) -> str | None:
    """Return the client's request id if its form excludes personal data."""
    return _received(scope, REQUEST_ID_HEADER, _LOGGED_REQUEST_ID)


def traceparent_of(scope: Scope) -> str | None:
    """Return the W3C trace context for effects of a request: its span's, or else the client's."""
    own: str | None = scope.get("fleetlog.traceparent")
    return own or parent_trace_of(scope)


def parent_trace_of(scope: Scope) -> str | None:
    """Return the W3C trace context that the client sent, if any."""
    return _received(scope, b"traceparent", _TRACEPARENT)


def when_answered(scope: Scope, callback: Callable[[], None]) -> None:
    """Call back when the answer to a request has ended or failed."""
    scope["fleetlog.when_answered"].append(callback)


def headers_of(scope: Scope, name: bytes) -> list[str]:
    """Return a request's headers by lower-case name, in order."""
    by_name: dict[bytes, list[bytes]] | None = scope.get("fleetlog.headers")
    if by_name is None:  # indexed once, which is faster than a search per header
        by_name = scope["fleetlog.headers"] = {}
        for key, value in scope["headers"]:
            by_name.setdefault(key, []).append(value)
    return [value.decode("latin-1") for value in by_name.get(name, ())]


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a request's first header by lower-case name."""
    values = headers_of(scope, name)
    return values[0] if values else None


async def read_body(request: Request, *, limit: int) -> bytes:
    """Read a request's body; raises `Problem` (413) as soon as the body proves longer than `limit` bytes."""
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


def cookie_of(scope: Scope, name: str) -> str | None:
    """Return a cookie's value as it was sent; the last one if there are several.

    Starlette's `request.cookies` unquotes values with Python's `http.cookies`, which before 3.12.6 takes time
    in the square of the header's length (CVE-2024-7592). Our cookies are not quoted.
    """
    pairs = [pair.partition("=") for header in headers_of(scope, b"cookie") for pair in header.split(";")]
    return next((value.strip() for key, _, value in reversed(pairs) if key.strip() == name), None)


def _received(scope: Scope, name: bytes, form: re.Pattern[str]) -> str | None:
    """Return a header of a request if it matches a pattern."""
    text = header_of(scope, name)
    return text if text is not None and form.fullmatch(text) else None
