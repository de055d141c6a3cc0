"""Export of the event stream to a file, also as comma-separated values (RFC 4180)."""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from ops.base.records.csv_lines import csv_lines
from ops.launcher.errors import LauncherError
from ops.launcher.events.source import EventSource, FeedUnavailable, Filter

FORMATS: Final = ("ndjson", "csv")
COLUMNS: Final = (
    *("position", "time", "type", "entity", "id", "version", "actor", "request_id"),
    *("field", "from", "to"),
)
MASKED: Final = "[masked]"
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
    if form == "csv":
        out.write(csv_lines([COLUMNS]))
    count = 0
    for line in _lines_to_head(source, wanted):
        out.write(as_csv(line) if form == "csv" else f"{line}\n")
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


def as_csv(line: str) -> str:
    """Return an event, given as a line of JSON, as one row per changed field, or as one without a field.

    Values are JSON, so that strings, numbers and null differ. Personal fields appear with masked values. The
    fields of a registration change from null; empty ones are omitted.
    """
    return csv_lines(_rows(json.loads(line)))


def _rows(event: dict[str, Any]) -> Iterator[list[Any]]:
    data = event["data"]
    common = [
        int(event["sequence"]),
        *(event["time"], event["type"], data.get("entity"), data.get("id"), data.get("version")),
        *((data.get("actor") or {}).get("id"), data.get("request_id")),
    ]
    changes = [*_changes(data)]
    for change in changes or [("", "", "")]:
        yield [*common, *change]


def _changes(data: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for field, value in (data.get("details") or {}).items():
        if value is not None:
            yield field, "null", _json(value)
    changes = data.get("changes") or {}
    for field, change in changes.items():
        yield field, *(_json(change[end]) if end in change else MASKED for end in ("from", "to"))
    for field in data.get("masked") or ():
        if field not in changes:
            yield field, MASKED, MASKED


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
