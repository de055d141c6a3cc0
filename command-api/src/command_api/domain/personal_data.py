"""Personal data is marked once, on the field that holds it; every masking derives from that mark."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class PersonalData:
    """Marks a field that identifies or exposes a person, or free text that may."""


def personal_fields(details: type[BaseModel]) -> frozenset[str]:
    """Return the names of a model's fields that are marked as personal data."""
    return frozenset(
        name
        for name, field in details.model_fields.items()
        if any(isinstance(mark, PersonalData) for mark in field.metadata)
    )


def split(values: dict[str, Any], personal: frozenset[str]) -> tuple[dict[str, Any], list[str]]:
    """Part what may be shown to everybody from the names of what may not.

    Args:
        values: something for each field name.
        personal: names of the personal fields.

    Returns:
        The entries that are not personal, and the names of those that are, in the order of `values`.
    """
    shown = {name: value for name, value in values.items() if name not in personal}
    return shown, [name for name in values if name in personal]
