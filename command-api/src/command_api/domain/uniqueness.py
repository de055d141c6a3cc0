"""Which values no two registered records of a type may share, and when two values are equal."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import DEFINITIONS, Definition
from command_api.domain.events import DetailsChanged, Erased, Event, Registered, Removed
from ops.base.records.unique_texts import normalised

VERSION: Final = 2
"""To be raised when `Unique` fields or `normalised` change: the command API then hashes all values again."""
_NUMBER: Final = re.compile("[1-9]")


class UniqueValue(NamedTuple):
    """A value of a unique field."""

    field: str
    text: str
    during: str = ""
    """The time for which the record has it, as a `tstzrange`; empty: always."""


def unknown_fields(names: Iterable[str]) -> list[str]:
    """Return the names that are not of unique fields, such as `driver.passport_number`."""
    known = {
        f"{one.name}.{name}"
        for one in DEFINITIONS.values()
        for name, mark in one.unique.items()
        if mark.during is None
    }
    return sorted({*names} - known)


def unique_values(definition: Definition, entity_id: str, details: Mapping[str, Any]) -> list[UniqueValue]:
    """Return the values of a registered record's unique fields.

    Values for a time are compared as they are. Others are normalised; without a digit from 1 to 9, such as
    `N/A` or `000`, they count as missing, and are left out.
    """
    values = []
    for name, mark in definition.unique.items():
        value = entity_id if name == "id" else details.get(name)
        if mark.during is not None:
            during = time_range(*(details.get(end) for end in mark.during))
            texts = value if isinstance(value, list) else [value]
            values += [UniqueValue(name, text, during) for text in texts if text is not None]
            continue
        text = normalised(value) if isinstance(value, str) else ""
        if name == "id" or _NUMBER.search(text):
            values.append(UniqueValue(name, text))
    return values


def time_range(start: str | None, end: str | None) -> str:
    """Return the text of a `tstzrange` that includes its start and excludes its end (None: open)."""
    return f"[{start or ''},{end or ''})"


def details_after(before: Aggregate, event: Event) -> Mapping[str, Any] | None:
    """Return the details after an event; None if it leaves no registered record, or cannot change details."""
    match event:
        case DetailsChanged():
            details = before.state.details if before.state else {}
            return {**details, **{name: change.to for name, change in event.changes.items()}}
        case Registered():
            return event.details
    return None


def changed_values(before: Aggregate, event: Event) -> tuple[list[UniqueValue], list[UniqueValue]]:
    """Return the unique values that an event releases and those that it claims."""
    definition = before.definition
    relevant = {*definition.unique}.union(*(mark.during or () for mark in definition.unique.values()))
    match event:
        case DetailsChanged() if not event.changes.keys() & relevant:
            return [], []
        case DetailsChanged() | Registered() | Removed() | Erased():
            after = details_after(before, event)
        case _:
            return [], []
    old = unique_values(definition, before.id, before.state.details) if before.state else []
    new = unique_values(definition, before.id, after) if after else []
    return [one for one in old if one not in new], [one for one in new if one not in old]
