"""Events as comma-separated values (RFC 4180)."""

import json
from collections.abc import Iterator
from typing import IO, Any, Final

from ops.base.records.csv_lines import csv_lines

COLUMNS: Final = (
    *("position", "time", "type", "entity", "id", "version", "actor", "request_id"),
    *("field", "from", "to"),
)
MASKED: Final = "[masked]"


class EventTable:
    """Writes an event as one row per changed field, or as one row without a field.

    Values are JSON, so that strings, numbers and null differ. Personal fields appear with masked values. The
    fields of a registration change from null; empty ones are omitted.
    """

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        out.write(csv_lines([COLUMNS]))

    def write(self, line: str) -> None:
        """Write an event, given as a line of JSON."""
        self._out.write(csv_lines(_rows(json.loads(line))))


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
