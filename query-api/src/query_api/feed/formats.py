"""The formats of the feed, and which of them a client prefers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ops.base.http.consistency import LogPosition
from query_api.feed.reading import FeedEvent

_WEIGHT: Final = re.compile(r"q\s*=\s*([01](?:\.[0-9]{0,3})?)", re.ASCII | re.IGNORECASE)


def preferred(accept: str, offered: Sequence[str]) -> str | None:
    """Return the media type to answer with.

    Args:
        accept: the header's value; empty: anything.
        offered: media types, what the server would rather send first.

    Returns:
        One of them; None where the client takes none.
    """
    ranges = _ranges(accept)
    if not ranges:
        return offered[0]
    weights = {media_type: _weight(media_type, ranges) for media_type in offered}
    best = max(offered, key=lambda media_type: weights[media_type])  # the first of the best
    return best if weights[best] > 0 else None


def _ranges(accept: str) -> dict[str, float]:
    ranges: dict[str, float] = {}
    for item in accept.split(","):
        media_range, *parameters = (part.strip().lower() for part in item.split(";"))
        if media_range:
            weight = next((_WEIGHT.fullmatch(part) for part in parameters if part.startswith("q")), None)
            ranges[media_range] = min(float(weight[1]), 1.0) if weight else 1.0
    return ranges


def _weight(media_type: str, ranges: dict[str, float]) -> float:
    """What is said most precisely counts."""
    family = f"{media_type.partition('/')[0]}/*"
    for media_range in (media_type, family, "*/*"):
        if media_range in ranges:
            return ranges[media_range]
    return 0.0


MEDIA_TYPES: Final[dict[Literal["batch", "ndjson", "sse"], str]] = {
    "batch": "application/cloudevents-batch+json",
    "ndjson": "application/x-ndjson",
    "sse": "text/event-stream",
}
FORMATS: Final = tuple(MEDIA_TYPES)
"""What the server would rather send first: who takes anything gets an answer that ends."""

Reason = Literal["expired", "revoked", "stopping", "replaced", "unavailable", "stalled", "gone"]
"""Why a stream must end."""

_TOLD: Final[dict[Reason, str]] = {
    "expired": "the access token has expired; come back with a new one",
    "revoked": "you have been signed out; sign in again",
    "stopping": "the service is stopping; come back",
    "replaced": "the log has been replaced; begin anew",
    "unavailable": "the database cannot be reached; come back",
}


class Lines:
    """Lines of JSON, as a stream has them; an empty one only shows that it is alive."""

    def opening(self, position: int) -> bytes:  # noqa: ARG002
        """What comes first, given the position after which it begins: nothing."""
        return b""

    def events(self, events: Sequence[FeedEvent]) -> bytes:
        """Events, one after the other: a line for each."""
        return b"".join(event.json + b"\n" for event in events)

    def heartbeat(self, position: int) -> bytes:  # noqa: ARG002
        """What breaks the silence, given the position up to which there is nothing else: an empty line."""
        return b"\n"

    def ending(self, reason: Reason | None) -> bytes:  # noqa: ARG002
        """What comes last, given the reason, for readers who are still there: nothing."""
        return b""


@dataclass(frozen=True)
class ServerSentEvents(Lines):
    """https://html.spec.whatwg.org/multipage/server-sent-events.html.

    An `id` without data is no event, but counts as the last one's: so who comes back goes on from where the
    stream had looked, whatever the filter let through.
    """

    log_id: str
    retry_seconds: float

    def opening(self, position: int) -> bytes:
        """When to come back, and from where."""
        return f"retry: {round(self.retry_seconds * 1000)}\n".encode() + self.heartbeat(position)

    def events(self, events: Sequence[FeedEvent]) -> bytes:
        """Events with their ids and types."""
        log_id = self.log_id.encode()
        return b"".join(
            b"id: %b:%d\nevent: %b\ndata: %b\n\n" % (log_id, event.position, event.type.encode(), event.json)
            for event in events
        )

    def heartbeat(self, position: int) -> bytes:
        """A comment, and the id reached."""
        return f":\nid: {LogPosition(self.log_id, position)}\n\n".encode()

    def ending(self, reason: Reason | None) -> bytes:
        """A comment that says why."""
        reported = _TOLD.get(reason) if reason else None
        return f": {reported}\n\n".encode() if reported else b""


def batch(events: Sequence[FeedEvent]) -> bytes:
    """Return events as a batch (CloudEvents JSON format, section 4)."""
    return b"[" + b",\n".join(event.json for event in events) + b"]"
