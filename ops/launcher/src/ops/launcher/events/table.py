"""Events as a table: comma-separated values (RFC 4180)."""

import json
from collections.abc import Iterator
from typing import IO, Any, Final

from ops.base.records.csv_lines import csv_lines

COLUMNS: Final = (
    *("position", "time", "type", "entity", "id", "version", "actor", "request_id"),
    *("field", "from", "to"),
)
MASKED: Final = "[masked]"


class Table:
    """Writes events as rows: one for each changed field, one without a field where there is none.

    Values are JSON, so that texts, numbers and nothing are distinguished. What is personal is named, and its
    values say so. A registration sets fields that had no value; those that it leaves empty are no rows.
    """

    def __init__(self, out: IO[str]) -> None:
        """Write the columns' names."""
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
