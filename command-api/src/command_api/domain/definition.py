"""What an entity type declares of itself, in its module of `entities`; everything else derives from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict

from command_api.domain.personal_data import free_text_fields, personal_fields
from command_api.domain.publication import EVERYTHING, Public, public_fields
from ops.base.entities import EntityType

if TYPE_CHECKING:
    from command_api.domain.aggregate import Aggregate

# Crockford's base 32: no letter that can be taken for a digit.
_ID_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Example:
    """Gives a field the value that documents and tests show of it. No null: FastAPI drops these."""

    value: Any


class Details(BaseModel):
    """Base of all details: closed, so that a misspelt field is refused rather than lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Definition:
    """One entity type: its details, its decisions, who gives its ids, and what its record shows."""

    entity_type: EntityType
    details: type[Details]
    aggregate: type[Aggregate]
    example_id: str
    given_id_required: str | None = None
    """Message when a client gives no id; None: the server makes one."""
    id_may_be_given: bool = True
    id_prefix: str = ""
    shows_times: bool = False
    """Whether records carry created_at and updated_at."""

    @property
    def name(self) -> str:
        """The entity type's name, such as `driver`."""
        return self.entity_type.name

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the details, in the wire's order."""
        return tuple(self.details.model_fields)

    @cached_property
    def personal(self) -> frozenset[str]:
        """The names of the details that are personal data, free text included."""
        return personal_fields(self.details)

    @cached_property
    def free_text(self) -> frozenset[str]:
        """The names of the details that are free text, which may name people."""
        return free_text_fields(self.details)

    @cached_property
    def harmless(self) -> frozenset[str]:
        """The names of the details that are not personal data."""
        return frozenset(self.fields) - self.personal

    @cached_property
    def harmless_or_free_text(self) -> frozenset[str]:
        """The same, where free text is known to name nobody."""
        return self.harmless | self.free_text

    @cached_property
    def public(self) -> Mapping[str, Public]:
        """The marks of the details that everybody may see, by name; what is not in it is masked."""
        return public_fields(self.details)

    @cached_property
    def public_or_free_text(self) -> Mapping[str, Public]:
        """The same, where free text is published."""
        return {**dict.fromkeys(self.free_text, EVERYTHING), **self.public}

    @cached_property
    def example(self) -> dict[str, Any]:
        """Details as they may be, but for the id."""
        return _example(self.details)

    def unused(self, entity_id: str) -> Aggregate:
        """Return the aggregate of an id that was never used."""
        return self.aggregate(self, entity_id)

    def stream(self, entity_id: str) -> str:
        """Return the name of an entity's stream."""
        return f"{self.name}:{entity_id}"

    def new_id(self) -> str:
        """Make an id: 40 random bits, short enough to be read out on the telephone."""
        bits = randbits(40)
        return self.id_prefix + "".join(_ID_LETTERS[bits >> shift & 31] for shift in range(0, 40, 5))

    def blank_details(self) -> dict[str, Any]:
        """Return a null for each detail."""
        return dict.fromkeys(self.fields)


def _example(details: type[Details]) -> dict[str, Any]:
    examples: dict[str, Any] = {}
    for name, field in details.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Details):
            examples[name] = _example(field.annotation)
        for mark in field.metadata:
            if isinstance(mark, Example):
                examples[name] = mark.value
    return examples


DEFINITIONS: Final[dict[str, Definition]] = {}
"""All entity types by name; `catalogue` brings in those of the product."""


def define(definition: Definition) -> None:
    """Make an entity type one of the product's."""
    DEFINITIONS[definition.name] = definition
