"""The same events in three formats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ops.base.http.consistency import LogPosition
from query_api.feed.reading import FeedEvent

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
