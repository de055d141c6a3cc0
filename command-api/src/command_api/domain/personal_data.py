"""Personal data is marked once, on the field that holds it; every masking derives from that mark."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class PersonalData:
    """Marks a field that identifies or exposes a person, and is shown to nobody without need."""


@dataclass(frozen=True)
class FreeText(PersonalData):
    """Marks free text: it may name people, so it is masked, unless its owners know that it does not."""


def personal_fields(details: type[BaseModel]) -> frozenset[str]:
    """Return the names of a model's fields that are marked as personal data, free text included."""
    return _marked(details, PersonalData)


def free_text_fields(details: type[BaseModel]) -> frozenset[str]:
    """Return the names of a model's fields that are marked as free text."""
    return _marked(details, FreeText)


def split(values: dict[str, Any], public: Set[str]) -> tuple[dict[str, Any], list[str]]:
    """Part what may be shown to everybody from the names of what may not.

    Args:
        values: something for each field name.
        public: names of the fields that may be shown; any other is not, known or unknown.

    Returns:
        The entries that may be shown, and the names of the others, both in the order of `values`.
    """
    shown = {name: value for name, value in values.items() if name in public}
    return shown, [name for name in values if name not in public]


def _marked(details: type[BaseModel], kind: type[PersonalData]) -> frozenset[str]:
    return frozenset(
        name
        for name, field in details.model_fields.items()
        if any(isinstance(mark, kind) for mark in field.metadata)
    )
