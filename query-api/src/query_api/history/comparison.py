"""Differences between two versions of a record, and the author of each field."""

import json
from collections.abc import AsyncIterable, Iterable
from typing import Any, Final

from ops.base.records.entities import EntityType
from ops.base.records.json_values import same_json
from ops.base.records.masks import ERASED, is_personal
from query_api.history.changes import RecordedChange
from query_api.history.parameters import DiffParameters
from query_api.history.past_states import PastState
from query_api.history.wire import moment_text
from query_api.masking.masks import masked_diff

UNCOMPARED: Final = frozenset({"id", "created_at", "updated_at"})
"""Fields derived from the log, which no change sets."""


def diff(
    entity: EntityType, span: DiffParameters, first: PastState | None, last: PastState | None, *, masked: bool
) -> dict[str, Any]:
    """Return the JSON that compares two states; None: there was no state."""
    records = record_of(first), record_of(last)
    ends = {"from": _end(span.first, first), "to": _end(span.last, last)}
    result = {**ends, "changes": differences(*records)}
    if any(state is not None and state.is_erased for state in (first, last)):
        result[ERASED] = _personal(entity, compared(*records))
    return masked_diff(entity, result, compared(*records)) if masked else result


def differences(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the fields that differ between two records, with both values; a missing record is all nulls."""
    first, second = before or {}, after or {}
    return [
        {"field": name, "from": first.get(name), "to": second.get(name)}
        for name in compared(before, after)
        if not same_json(first.get(name), second.get(name))
    ]


def compared(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    """Return the compared fields of two records, in the records' order."""
    return [name for name in {**(before or {}), **(after or {})} if name not in UNCOMPARED]


async def blame(record: dict[str, Any], changes: AsyncIterable[RecordedChange]) -> list[dict[str, Any]]:
    """Return each field of a record with its value and the user who last set it.

    A registration sets every field, including empty ones, so changes before it are not read.

    Args:
        changes: the record's changes, latest first; reading ends when each field has its author.
    """
    names = [name for name in record if name not in UNCOMPARED]
    last: dict[str, RecordedChange] = {}
    unset = set(names)
    async for change in changes:
        fields = unset if change.type.endswith(".registered") else unset.intersection(change.fields)
        last |= dict.fromkeys(fields, change)
        unset = unset - fields
        if not unset:
            break
    return [{"field": name, "value": record[name], **_origin(last.get(name))} for name in names]


def _origin(change: RecordedChange | None) -> dict[str, Any]:
    if change is None:
        return {"version": None, "moment": None, "actor": None}
    return {
        "version": change.version,
        "moment": moment_text(change.moment),
        "actor": change.actor,
    }


def erased_of_blame(entity: EntityType, state: PastState, record: dict[str, Any]) -> dict[str, list[str]]:
    """Return the member that lists the erased fields of a blame answer; {} if the state is not erased."""
    return {ERASED: [*_personal(entity, compared(record, None)), "actor.name"]} if state.is_erased else {}


def record_of(state: PastState | None) -> dict[str, Any] | None:
    """Return a state's record, or None if it was removed or is unknown."""
    record: dict[str, Any] | None = json.loads(state.record) if state and state.record else None
    return record


def _personal(entity: EntityType, names: Iterable[str]) -> list[str]:
    return [name for name in names if is_personal(entity, name)]


def _end(version: int, state: PastState | None) -> dict[str, Any]:
    return {
        "version": version,
        "moment": moment_text(state.moment) if state else None,
        "exists": state is not None and state.record is not None,
    }
