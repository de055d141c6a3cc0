"""Live subscription to the event feed."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.events.source import EventSource, FeedUnavailable, Filter

_MEDIA_TYPE: Final = "text/event-stream"
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0


def tail(source: EventSource, wanted: Filter) -> Iterator[str]:
    """Yield events as lines of JSON without end; reconnect whenever a stream ends."""
    reached = wanted.after
    pause = 0.0
    was_connected = False
    while True:
        try:
            with source.stream(replace(wanted, after=reached), _MEDIA_TYPE) as lines:
                was_connected = True
                for event_id, data in _events(lines):
                    reached, pause = event_id, 0.0
                    if data:
                        yield data
            problem = "the stream has ended"
        except FeedUnavailable as error:
            if not was_connected:
                raise LauncherError(f"{source.address}: {error}") from None
            problem = str(error)
        pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE)
        if pause > _FIRST_PAUSE:  # a stream that ends, as with its token, is not reported
            print(f"fleetlog: {source.address}: {problem}; trying again", file=sys.stderr)
        time.sleep(pause)


def _events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield the id and the data, which may be empty, of each server-sent event."""
    event_id, data = "", ""
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            event_id = value
        elif name == "data":
            data = value
        elif not line and event_id:
            yield event_id, data
            data = ""
