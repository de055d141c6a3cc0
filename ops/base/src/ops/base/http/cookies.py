"""One cookie of a request."""

from starlette.requests import Request

from ops.base.http.request_context import headers_of


def cookie_of(request: Request, name: str) -> str | None:
    """Return a cookie's value as it was sent, or None; where it was sent several times, the last one.

    Not by `request.cookies`: it undoes quotes with Python's `http.cookies`, whose time before 3.12.6 grows
    with the square of the header's length (CVE-2024-7592). Nothing in our cookies is quoted.
    """
    headers = headers_of(request.scope, b"cookie")
    if not headers:
        return None
    pairs = (pair.partition("=") for header in headers for pair in header.split(";"))
    return next((value.strip() for key, _, value in reversed(list(pairs)) if key.strip() == name), None)
