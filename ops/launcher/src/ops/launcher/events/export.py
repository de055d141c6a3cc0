"""Export of the event stream to a file."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from ops.launcher.errors import LauncherError
from ops.launcher.events.source import EventSource, FeedUnavailable, Filter
from ops.launcher.events.table import EventTable

FORMATS: Final = ("ndjson", "csv")
_MEDIA_TYPE: Final = "application/x-ndjson"
_ATTEMPTS: Final = 5
"""Consecutive attempts without an event."""
_PAUSE: Final = 1.0


def export(source: EventSource, wanted: Filter, form: str, path: Path | None) -> int:
    """Write all events up to the head to a file, or to standard output, and return their number.

    An unfinished file's name ends with `.part`.
    """
    if path is None:
        count = _write(source, wanted, form, sys.stdout)
        sys.stdout.flush()
        return count
    if path.is_dir():
        raise LauncherError(f"{path} is a folder")
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="") as out:
        count = _write(source, wanted, form, out)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(path)
    return count


def _write(source: EventSource, wanted: Filter, form: str, out: IO[str]) -> int:
    write: Callable[[str], object]
    write = EventTable(out).write if form == "csv" else lambda line: out.write(f"{line}\n")
    count = 0
    for line in _lines_to_head(source, wanted):
        write(line)
        count += 1
    return count


def _lines_to_head(source: EventSource, wanted: Filter) -> Iterator[str]:
    """Yield the events up to the head as lines of JSON; resume after an interrupted answer."""
    reached, attempts = wanted.after, 0
    while True:
        last = ""
        try:
            with source.stream(replace(wanted, after=reached), _MEDIA_TYPE) as lines:
                for line in lines:
                    if line:
                        last, attempts = line, 0
                        yield line
        except FeedUnavailable as error:
            attempts += 1
            if attempts == _ATTEMPTS:
                raise LauncherError(f"{source.address}: {error}") from None
        else:
            return
        if last:
            reached = json.loads(last)["id"]
        time.sleep(_PAUSE)
