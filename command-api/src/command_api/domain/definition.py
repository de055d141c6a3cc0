"""What an entity type declares of itself, in its module of `entities`; everything else derives from that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from secrets import randbits
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from command_api.domain.personal_data import FreeText, PersonalData
from command_api.domain.publication import EVERYTHING, Public
from ops.base.records.entities import NOT_DETAILS, EntityType

if TYPE_CHECKING:
    from command_api.domain.aggregate import Aggregate

# Crockford's base 32: no letter that can be taken for a digit.
_ID_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Example:
    """Gives a field the value that documents and tests show of it. No null: FastAPI drops these."""

    value: Any


@dataclass(frozen=True)
class Searched:
    """Marks a text that staff look a record up by. Bank, passport and licence numbers are not marked: what is
    searched for stands in addresses, which end in histories and logs.
    """

    member: str = ""
    """Which member of a free-form object."""
    in_list: bool = True
    """Whether the search of the list that staff see looks there, too (product.md: validation)."""


@dataclass(frozen=True)
class Filtered:
    """Marks a field that lists are narrowed by: to equal values, or to days, written `YYYY-MM-DD`."""

    kind: Literal["value", "days"] = "value"


@dataclass(frozen=True)
class Listed:
    """Gives a field, or a member of a free-form object, a further name in lists."""

    name: str
    member: str = ""


_Mark = TypeVar("_Mark", Searched, Listed)
_AnyMark = TypeVar("_AnyMark")


class Details(BaseModel):
    """Base of all details: closed, so that a misspelt field is refused rather than lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Definition:
    """One entity type: its details, its decisions, who gives its ids, and what its record shows."""

    named: EntityType
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
        return self.named.name

    @cached_property
    def entity_type(self) -> EntityType:
        """The entity type with what is declared of lists, searches and ids."""
        listed = {mark.name: path for path, mark in _marked(self.details, Listed)}
        members = {path: name for name, path in listed.items() if "." in path}
        searched = [(members.get(path, path), mark) for path, mark in _marked(self.details, Searched)]
        given_id = self.given_id_required is not None
        filtered = marks(self.details, Filtered)
        personal = [name for name in self.fields if name in self.personal]
        further = [name for name, path in listed.items() if path.partition(".")[0] in personal]
        return replace(
            self.named,
            listed=listed,
            searched=("id", *(path for path, _ in searched)),
            searched_in_list=(*["id"] * given_id, *(path for path, mark in searched if mark.in_list)),
            filtered={name: mark.kind for name, mark in filtered.items()},
            personal=(*personal, *further),
            given_id=given_id,
        )

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the details, in the order of the record."""
        return tuple(self.details.model_fields)

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The declared members of details that are objects, by the details' names."""
        found = {name: _members(field) for name, field in self.details.model_fields.items()}
        return {name: members for name, members in found.items() if members}

    @cached_property
    def personal(self) -> frozenset[str]:
        """The names of the details that are personal data, free text included."""
        return frozenset(marks(self.details, PersonalData))

    @cached_property
    def harmless_details(self) -> type[Details]:
        """The details that are not personal data, which is all that some may give."""
        fields: dict[str, Any] = {
            name: (field.annotation, field)
            for name, field in self.details.model_fields.items()
            if name not in self.personal
        }
        return create_model(self.details.__name__, __base__=Details, **fields)

    @cached_property
    def free_text(self) -> frozenset[str]:
        """The names of the details that are free text, which may name people."""
        return frozenset(marks(self.details, FreeText))

    @cached_property
    def harmless(self) -> frozenset[str]:
        """The names of the details that are not personal data."""
        return frozenset(self.fields) - self.personal

    @cached_property
    def harmless_members(self) -> frozenset[str]:
        """Members of a record that are not personal data."""
        return self.harmless | NOT_DETAILS

    @cached_property
    def harmless_or_free_text(self) -> frozenset[str]:
        """The same, where free text is known to name nobody."""
        return self.harmless | self.free_text

    @cached_property
    def public(self) -> Mapping[str, Public]:
        """The marks of the details that everybody may see, by name; what is not in it is masked."""
        return marks(self.details, Public)  # type: ignore[type-abstract]  # of any kind

    @cached_property
    def public_or_free_text(self) -> Mapping[str, Public]:
        """The same, where free text is published."""
        return {**dict.fromkeys(self.free_text, EVERYTHING), **self.public}

    @cached_property
    def example(self) -> dict[str, Any]:
        """Details as the wire may show them, but for the id."""
        return _example(self.details)

    def unused(self, entity_id: str) -> Aggregate:
        """Return the aggregate of an id that was never used."""
        return self.aggregate(self, entity_id)

    def stream(self, entity_id: str) -> str:
        """Return the name of an entity's stream."""
        return f"{self.name}:{entity_id}"

    def new_id(self) -> str:
        """Make an id: 40 random bits, short enough to be read out on the telephone."""
        return self._id_of(randbits(40), letters=8)

    def id_made_of(self, origin: str) -> str:
        """Return the id of what comes from somewhere, always the same; longer, so as to be nobody else's."""
        bits = int.from_bytes(sha256(origin.encode()).digest()[:8])
        return self._id_of(bits, letters=12)

    def _id_of(self, bits: int, *, letters: int) -> str:
        return self.id_prefix + "".join(_ID_LETTERS[bits >> 5 * place & 31] for place in range(letters))

    def blank_details(self) -> dict[str, Any]:
        """Return a null for each detail."""
        return dict.fromkeys(self.fields)


def marks(details: type[BaseModel], kind: type[_AnyMark]) -> dict[str, _AnyMark]:
    """Return the marks of a kind that a model's fields have, by the fields' names."""
    return {
        name: mark
        for name, field in details.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, kind)
    }


def _example(details: type[Details]) -> dict[str, Any]:
    examples: dict[str, Any] = {}
    for name, field in details.model_fields.items():
        if (nested := nested_details(field.annotation)) is not None:
            examples[name] = _example(nested)
        for mark in field.metadata:
            if isinstance(mark, Example):
                examples[name] = mark.value
    return examples


def _marked(details: type[Details], kind: type[_Mark]) -> Iterator[tuple[str, _Mark]]:
    """Yield the marks of a kind, and where in a record that is which they mark."""
    for name, field in details.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, kind):
                yield f"{name}.{mark.member}" if mark.member else name, mark
        if (nested := nested_details(field.annotation)) is not None:
            for path, mark in _marked(nested, kind):
                yield f"{name}.{path}", mark


def _members(field: FieldInfo) -> tuple[str, ...]:
    if (nested := nested_details(field.annotation)) is not None:
        return tuple(nested.model_fields)
    marks = [mark for mark in field.metadata if isinstance(mark, (Searched, Listed))]
    return tuple(dict.fromkeys(mark.member for mark in marks if mark.member))


def nested_details(annotation: Any) -> type[Details] | None:
    """Return the details that a field of this type has; None: its value is a leaf."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, Details) else None


DEFINITIONS: Final[dict[str, Definition]] = {}
"""All entity types by name; `catalogue` brings in those of the product, the modules of `entities`."""
STREAMS: Final[dict[str, Definition]] = {}
"""By what their names begin with, whose events the log may hold: entities, and who acts (`actor`)."""


def define(definition: Definition) -> None:
    """Make an entity type one of the product's."""
    DEFINITIONS[definition.name] = STREAMS[definition.name] = definition
