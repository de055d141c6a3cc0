"""Changes as JSON, and as lines of exports, masked unless personal data is revealed."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from ops.base.records import masks
from ops.base.records.csv_lines import csv_cells
from ops.base.records.json_values import json_bytes
from query_api.history.changes import RecordedChange
from query_api.masking.masks import PERSONAL_NAMES, RECORD_NAME

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
MASKED: Final = "[masked]"
ERASED: Final = "[erased]"
_WORDS: Final = {masks.MASKED: MASKED, masks.ERASED: ERASED}
COLUMNS: Final = (
    *("position", "moment", "entity", "id", "record_name", "version", "type"),
    *("actor_sub", "actor_name", "request_id", "client_request_id", "reason", "field", "from", "to"),
    *("undoes", "batch", "actor_is_program", "merged_with"),
)
_NO_TAIL: Final = ",,,"
MEDIA_TYPES: Final = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}


def to_json(change: RecordedChange, run: dict[str, Any] | None = None) -> bytes:
    """Return a change's JSON, with the run that it represents."""
    personal = [RECORD_NAME] if change.entity in PERSONAL_NAMES else []
    own = {"entity": change.entity, "id": change.entity_id, "record_name": change.record_name}
    return change.json(personal, **own, **({} if run is None else {"run": run}))


def to_masked_json(change: RecordedChange) -> bytes:
    """Return a change's JSON for exports that do not reveal personal data."""
    shown = change.members()
    shown["entity"], shown["id"] = change.entity, change.entity_id
    shown["record_name"] = _record_name(change, reveal=False)
    if (actor := shown["actor"]) is not None:
        actor["name"] = change.actor_name and MASKED
    shown["client_request_id"] = change.client_request_id and MASKED
    shown["reason"] = change.reason and MASKED
    shown["changes"] = [
        {"field": one["field"], "masked": True} if _is_masked(change, one["field"]) else one
        for one in change.values()
    ]
    return json_bytes(shown)


def mark(change: RecordedChange) -> None:
    """Write `[masked]` for null in a masked change, for the exports of users without `personal:read`."""
    change.actor_name = change.actor_sub and MASKED
    change.request_id = change.request_id or MASKED
    change.client_request_id = change.reason = MASKED
    if change.entity in PERSONAL_NAMES:
        change.unencrypted_name = MASKED


def ndjson(changes: Sequence[RecordedChange], *, reveal: bool) -> bytes:
    """Return the JSON lines of changes."""
    write = to_json if reveal else to_masked_json
    return b"".join(write(change) + b"\n" for change in changes)


@lru_cache(1024)
def _masked_cells(field: str) -> str:
    return csv_cells((field, MASKED, MASKED))


def csv_rows(changes: Sequence[RecordedChange], *, reveal: bool, field: str | None = None) -> bytes:
    """Return changes as CSV (RFC 4180), with a line for each changed field.

    Values are JSON, so that texts, numbers and null stay distinct. A removal is a line without a field.
    """
    lines: list[str] = []
    for change in changes:
        first, fields, last = cells_of(change, reveal=reveal)
        head, tail = csv_cells(first), csv_cells(last) if any(last) else _NO_TAIL
        for values in fields:
            if field is None or values[0] in (field, ""):
                is_masked = values[1] == values[2] == MASKED
                cells = _masked_cells(values[0]) if is_masked else csv_cells(values)
                lines.append(f"{head},{cells},{tail}\r\n")
    return "".join(lines).encode()


def cells_of(
    change: RecordedChange, *, reveal: bool
) -> tuple[Sequence[Any], Sequence[Sequence[str]], Sequence[Any]]:
    """Return the cells of a change in the CSV: the first, the three of each changed field, and the last."""
    texts = (change.actor_name, change.client_request_id, change.reason)
    if change.masked_as is not None and (reveal or change.masked_as == masks.MASKED):
        word = _WORDS[change.masked_as]
        texts = (change.actor_sub and word, word, word)
    name, client_request_id, reason = (text if reveal else text and MASKED for text in texts)
    if change.actor_masked_as is not None and (reveal or change.actor_masked_as == masks.MASKED):
        name = _WORDS[change.actor_masked_as]
    first = (
        change.position,
        change.moment_text,
        change.entity,
        change.entity_id,
        _name_in_csv(change, reveal=reveal),
        change.version,
        change.type,
        *(change.actor_sub, name, change.request_id, client_request_id, reason),
    )
    is_program = "true" if change.actor_is_program else None
    details = change.details
    merged = details.get("source") or details.get("into")
    last = (details.get("undoes"), details.get("batch"), is_program, merged)
    fields = [(one["field"], *_values(change, one, reveal=reveal)) for one in change.values()]
    return first, fields or [("", "", "")], last


def _record_name(change: RecordedChange, *, reveal: bool) -> str | None:
    is_shown = reveal or change.entity not in PERSONAL_NAMES
    return change.record_name if is_shown else change.record_name and MASKED


def _name_in_csv(change: RecordedChange, *, reveal: bool) -> str | None:
    if change.masked_as is None or change.entity not in PERSONAL_NAMES:
        return _record_name(change, reveal=reveal)
    return _WORDS[change.masked_as] if reveal or change.masked_as == masks.MASKED else None


def _values(change: RecordedChange, one: dict[str, Any], *, reveal: bool) -> list[str]:
    if not reveal and _is_masked(change, one["field"]):
        return [MASKED, MASKED]
    if change.masked_as is not None and one["field"] in change.masked_fields:
        return [_WORDS[change.masked_as]] * 2
    return [_encode(one[end]) for end in ("from", "to")]


def _is_masked(change: RecordedChange, field: str) -> bool:
    return change.personal is None or field in change.personal
