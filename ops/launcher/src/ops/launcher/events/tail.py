"""Following the feed."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.events.source import Away, Source, Wanted

_MEDIA_TYPE: Final = "text/event-stream"
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0


def tail(source: Source, wanted: Wanted) -> Iterator[str]:
    """Give the events, each as a line of JSON, for ever; reconnect whenever a stream ends.

    Raises:
        LauncherError: the feed refuses, or cannot be reached at all.
    """
    reached = wanted.after
    pause = 0.0
    ever = False
    while True:
        try:
            with source.stream(replace(wanted, after=reached), _MEDIA_TYPE) as lines:
                ever = True
                for place, data in _events(lines):
                    reached, pause = place, 0.0
                    if data:
                        yield data
            problem = "the stream has ended"
        except Away as error:
            if not ever:
                raise LauncherError(f"{source.address}: {error}") from None
            problem = str(error)
        pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE)
        if pause > _FIRST_PAUSE:  # a stream that ends, as with its token, is nothing to tell of
            print(f"fleetlog: {source.address}: {problem}; trying again", file=sys.stderr)
        time.sleep(pause)


def _events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Give the id and the data, if any, of each block of a stream of server-sent events."""
    place, data = "", ""
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            place = value
        elif name == "data":
            data = value
        elif not line and place:
            yield place, data
            data = ""
