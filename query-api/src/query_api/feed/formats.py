"""The formats of the feed, and content negotiation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ops.base.http.consistency import LogPosition
from query_api.feed.reader import FeedEvent

_WEIGHT: Final = re.compile(r"q\s*=\s*([01](?:\.[0-9]{0,3})?)", re.ASCII | re.IGNORECASE)


def preferred(accept: str, offered: Sequence[str]) -> str | None:
    """Return the client's preferred media type, or None if it accepts none of those offered.

    Args:
        accept: the header `Accept`; empty: any type is accepted.
        offered: media types, in the server's order of preference.
    """
    ranges: dict[str, float] = {}
    for item in accept.split(","):
        media_range, *parameters = (part.strip().lower() for part in item.split(";"))
        if media_range:
            weight = next((_WEIGHT.fullmatch(part) for part in parameters if part.startswith("q")), None)
            ranges[media_range] = min(float(weight[1]), 1.0) if weight else 1.0
    if not ranges:
        return offered[0]
    weights = {}
    for media_type in offered:  # the most specific range that contains a type counts
        containing = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
        weights[media_type] = next((ranges[one] for one in containing if one in ranges), 0.0)
    best = max(offered, key=lambda media_type: weights[media_type])  # the first one if several are equal
    return best if weights[best] > 0 else None


MEDIA_TYPES: Final[dict[Literal["batch", "ndjson", "sse"], str]] = {
    "batch": "application/cloudevents-batch+json",
    "ndjson": "application/x-ndjson",
    "sse": "text/event-stream",
}
FORMATS: Final = tuple(MEDIA_TYPES)
"""In the server's order of preference: by default, an answer that ends."""

Reason = Literal["expired", "revoked", "stopping", "replaced", "unavailable", "stalled", "gone"]
"""Why a stream must end."""

_MESSAGES: Final[dict[Reason, str]] = {
    "expired": "the access token has expired; reconnect with a new one",
    "revoked": "you have been signed out; sign in again",
    "stopping": "the service is stopping; reconnect",
    "replaced": "the log has been replaced; start again with after=0",
    "unavailable": "the database cannot be reached; reconnect",
}


class Lines:
    """A stream of JSON lines; empty lines are heartbeats."""

    def opening(self, position: int) -> bytes:  # noqa: ARG002
        """Return the beginning of a stream after a position."""
        return b""

    def events(self, events: Sequence[FeedEvent]) -> bytes:
        """Return events, one per line."""
        return b"".join(event.json + b"\n" for event in events)

    def heartbeat(self, position: int) -> bytes:  # noqa: ARG002
        """Return a heartbeat that reports the position reached."""
        return b"\n"

    def ending(self, reason: Reason | None) -> bytes:  # noqa: ARG002
        """Return the end of a stream that ends for a reason."""
        return b""


@dataclass(frozen=True)
class ServerSentEvents(Lines):
    """Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).

    An `id` without data is not an event but sets the last event's id: so a reconnecting client continues from
    the position reached, even if the filter selected no event.
    """

    log_id: str
    retry_seconds: float

    def opening(self, position: int) -> bytes:
        """Return the reconnection delay and the starting position."""
        return f"retry: {round(self.retry_seconds * 1000)}\n".encode() + self.heartbeat(position)

    def events(self, events: Sequence[FeedEvent]) -> bytes:
        """Return events with their ids and types."""
        log_id = self.log_id.encode()
        return b"".join(
            b"id: %b:%d\nevent: %b\ndata: %b\n\n" % (log_id, event.position, event.type.encode(), event.json)
            for event in events
        )

    def heartbeat(self, position: int) -> bytes:
        """Return a comment and the position reached."""
        return f":\nid: {LogPosition(self.log_id, position)}\n\n".encode()

    def ending(self, reason: Reason | None) -> bytes:
        """Return a comment with the reason."""
        message = _MESSAGES.get(reason) if reason else None
        return f": {message}\n\n".encode() if message else b""
