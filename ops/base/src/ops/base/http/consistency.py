"""Read your own writes: the position in a command's answer, which the next query presents."""

import re
from typing import Final, NamedTuple, Self

from starlette.requests import Request
from starlette.responses import Response

from ops.base.http.request_context import cookie_of, header_of

POSITION_HEADER: Final = "Fleetlog-Position"
_RAW_HEADER: Final = POSITION_HEADER.lower().encode()
POSITION_COOKIE: Final = "fleetlog_position"
COOKIE_SECONDS: Final = 60
CONSISTENCY_HEADER: Final = "Fleetlog-Consistency"
STALE: Final = "stale"

_TOKEN = re.compile(r"^([0-9a-f]{32}):([0-9]{1,18})$", re.ASCII)


class LogPosition(NamedTuple):
    """A position in a log."""

    log_id: str
    position: int

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Parse `<log id>:<position>`; return None for other texts."""
        match = _TOKEN.match(text) if text else None
        return cls(match[1], int(match[2])) if match else None

    def __str__(self) -> str:
        return f"{self.log_id}:{self.position}"


def received_positions(request: Request) -> list[LogPosition]:
    """Return the positions in a request's header and cookie, of any log."""
    texts = (header_of(request.scope, _RAW_HEADER), cookie_of(request.scope, POSITION_COOKIE))
    return [position for text in texts if text and (position := LogPosition.parse(text))]


def received_position(request: Request, log_id: str) -> int:
    """Return the largest position of a log in a request's header and cookie, or 0."""
    return max((each.position for each in received_positions(request) if each.log_id == log_id), default=0)


def add_position(response: Response, reached: LogPosition, *, secure: bool) -> None:
    """Add the position to a command's answer, as a header and a cookie.

    Args:
        reached: the larger of the command's position and the one in its request.
        secure: whether the client uses https, so that the cookie must not be sent over http.
    """
    attributes = f"HttpOnly; Max-Age={COOKIE_SECONDS}; Path=/; SameSite=lax{'; Secure' if secure else ''}"
    cookie = f"{POSITION_COOKIE}={reached}; {attributes}"
    response.raw_headers += [
        (_RAW_HEADER, str(reached).encode()),
        (b"set-cookie", cookie.encode()),
    ]
