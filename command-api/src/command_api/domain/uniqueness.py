"""Which values no two registered records of a type may share, and when two values are equal."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import DEFINITIONS, Definition
from command_api.domain.events import DetailsChanged, Erased, Event, Registered, Removed
from ops.base.records.unique_texts import normalised

VERSION: Final = 1
"""To be raised when `Unique` fields or `normalised` change: the command API then hashes all values again."""
_NUMBER: Final = re.compile("[1-9]")


def unknown_fields(names: Iterable[str]) -> list[str]:
    """Return the names that are not of unique fields, such as `driver.passport_number`."""
    known = {f"{one.name}.{name}" for one in DEFINITIONS.values() for name in one.unique}
    return sorted({*names} - known)


def unique_values(definition: Definition, entity_id: str, details: Mapping[str, Any]) -> dict[str, str]:
    """Return the normalised values of a registered record's unique fields.

    Without a digit from 1 to 9, such as `N/A` or `000`, a value counts as missing, and is left out.
    """
    values = {}
    for name in definition.unique:
        value = entity_id if name == "id" else details.get(name)
        text = normalised(value) if isinstance(value, str) else ""
        if name == "id" or _NUMBER.search(text):
            values[name] = text
    return values


def changed_values(before: Aggregate, event: Event) -> tuple[dict[str, str], dict[str, str]]:
    """Return the unique values that an event releases and those that it claims, by field."""
    definition, unique = before.definition, before.definition.unique
    details = before.state.details if before.state else {}
    match event:
        case DetailsChanged() if not event.changes.keys() & set(unique):
            return {}, {}
        case DetailsChanged():
            after = {**details, **{name: change.to for name, change in event.changes.items()}}
        case Registered():
            after = event.details
        case Removed() | Erased():
            after = {}
        case _:
            return {}, {}
    old = unique_values(definition, before.id, details) if before.state else {}
    new = unique_values(definition, before.id, after) if after else {}
    return _without(old, new), _without(new, old)


def _without(values: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in values.items() if others.get(name) != text}
