"""Read your own writes: what a command's answer tells the next query, in a header and in a cookie."""

import re
from typing import Final, NamedTuple, Self

from starlette.requests import Request
from starlette.responses import Response

from ops.base.http.cookies import cookie_of
from ops.base.http.request_context import header_of

POSITION_HEADER: Final = "Fleetlog-Position"
_RAW_HEADER: Final = POSITION_HEADER.lower().encode()
POSITION_COOKIE: Final = "fleetlog_position"
COOKIE_SECONDS: Final = 60
CONSISTENCY_HEADER: Final = "Fleetlog-Consistency"
STALE: Final = "stale"

_TOKEN = re.compile(r"^([0-9a-f]{32}):([0-9]{1,18})$", re.ASCII)


class LogPosition(NamedTuple):
    """A position together with the log it counts in."""

    log_id: str
    position: int

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Read `<log id>:<position>`; anything else is None, for clients may send what they like."""
        match = _TOKEN.match(text) if text else None
        return cls(match[1], int(match[2])) if match else None

    def __str__(self) -> str:
        return f"{self.log_id}:{self.position}"


def received_positions(request: Request) -> list[LogPosition]:
    """Return the positions that the request names in header and cookie, of whichever logs."""
    texts = (header_of(request.scope, _RAW_HEADER), cookie_of(request, POSITION_COOKIE))
    return [position for text in texts if text and (position := LogPosition.parse(text))]


def received_position(request: Request, log_id: str) -> int:
    """Return the largest position of this log that the request names in header or cookie, or 0."""
    return max((each.position for each in received_positions(request) if each.log_id == log_id), default=0)


def tell_position(response: Response, reached: LogPosition, *, secure: bool) -> None:
    """Put the position that a command reached, or that stands against it, into its answer.

    Args:
        response: the command's answer.
        reached: the larger of that position and the one its request named.
        secure: whether the client came over https, so that the cookie must not leave it.
    """
    attributes = f"HttpOnly; Max-Age={COOKIE_SECONDS}; Path=/; SameSite=lax{'; Secure' if secure else ''}"
    cookie = f"{POSITION_COOKIE}={reached}; {attributes}"
    response.raw_headers += [
        (_RAW_HEADER, str(reached).encode()),
        (b"set-cookie", cookie.encode()),
    ]
