"""Personal data is marked once, on the field that holds it; every masking derives from that mark.

But for what everybody may see: that is declared the other way round, see `publication`.
"""

from dataclasses import dataclass

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


def _marked(details: type[BaseModel], kind: type[PersonalData]) -> frozenset[str]:
    return frozenset(
        name
        for name, field in details.model_fields.items()
        if any(isinstance(mark, kind) for mark in field.metadata)
    )
