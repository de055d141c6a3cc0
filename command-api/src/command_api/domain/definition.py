"""Definition of an entity type, made in its module of `entities`; everything else derives from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from secrets import randbits
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from command_api.domain.marks import (
    Example,
    Filtered,
    FreeText,
    Listed,
    PersonalData,
    Public,
    References,
    Searched,
    Unique,
    marks,
)
from ops.base.records.entities import NOT_DETAILS, EntityType

if TYPE_CHECKING:
    from command_api.domain.aggregate import Aggregate

# Crockford's base 32: no letter that can be mistaken for a digit.
_ID_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PathMark = TypeVar("_PathMark", Searched, Listed)


class Details(BaseModel):
    """Base of all details: closed, so that a misspelt field is refused rather than lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Definition:
    """One entity type: its details, its aggregate class, its ids, and the members of its record."""

    base: EntityType
    details: type[Details]
    aggregate: type[Aggregate]
    example_id: str
    given_id_required: str | None = None
    """Message when a client gives no id; None: the server makes one."""
    id_may_be_given: bool = True
    id_prefix: str = ""
    shows_times: bool = False
    """Whether records have created_at and updated_at."""

    @property
    def name(self) -> str:
        """The entity type's name, such as `driver`."""
        return self.base.name

    @cached_property
    def entity_type(self) -> EntityType:
        """The entity type with its declarations for lists, searches and ids."""
        listed = {mark.name: path for path, mark in _marked_paths(self.details, Listed)}
        members = {path: name for name, path in listed.items() if "." in path}
        searched = [(members.get(path, path), mark) for path, mark in _marked_paths(self.details, Searched)]
        given_id = self.given_id_required is not None
        personal = [name for name in self.fields if name in self.personal]
        further = [name for name, path in listed.items() if path.partition(".")[0] in personal]
        return replace(
            self.base,
            listed=listed,
            searched=("id", *(path for path, _ in searched)),
            searched_in_list=(*["id"] * given_id, *(path for path, mark in searched if mark.in_list)),
            filtered={name: mark.kind for name, mark in marks(self.details, Filtered).items()},
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
        """A model of the details that are not personal data, for callers without `personal:read`."""
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
    def public(self) -> Mapping[str, Public]:
        """The marks of public details, by name; all other details are masked in publications."""
        return marks(self.details, Public)

    @cached_property
    def public_or_free_text(self) -> Mapping[str, Public]:
        """The marks of public details for instances that publish free text."""
        return {**dict.fromkeys(self.free_text, Public()), **self.public}

    @cached_property
    def unique(self) -> Mapping[str, Unique]:
        """The marks of the fields that no two registered records share, `id` if clients give the ids."""
        own = {} if self.given_id_required is None else {"id": Unique()}
        return own | marks(self.details, Unique)

    @cached_property
    def references(self) -> Mapping[str, str]:
        """The entity types of fields with ids of other records, by the fields' names."""
        return {name: mark.entity for name, mark in marks(self.details, References).items()}

    @cached_property
    def example(self) -> dict[str, Any]:
        """Example details, without the id."""
        return _example(self.details)

    def unused(self, entity_id: str) -> Aggregate:
        """Return the aggregate of an id that was never used."""
        return self.aggregate(self, entity_id)

    def stream(self, entity_id: str) -> str:
        """Return the name of an entity's stream."""
        return f"{self.name}:{entity_id}"

    def new_id(self) -> str:
        """Return a random id: 40 bits, short enough to be read out on the telephone."""
        return self._id_of(randbits(40), letters=8)

    def derived_id(self, origin: str) -> str:
        """Return an id that depends on the origin alone; longer than random ids, to avoid collisions."""
        return self._id_of(int.from_bytes(sha256(origin.encode()).digest()[:8]), letters=12)

    def _id_of(self, bits: int, *, letters: int) -> str:
        return self.id_prefix + "".join(_ID_LETTERS[bits >> 5 * index & 31] for index in range(letters))

    def blank_details(self) -> dict[str, Any]:
        """Return a null for each detail."""
        return dict.fromkeys(self.fields)


def _example(details: type[Details]) -> dict[str, Any]:
    examples: dict[str, Any] = {name: mark.value for name, mark in marks(details, Example).items()}
    for name, field in details.model_fields.items():
        if (nested := nested_details(field.annotation)) is not None:
            examples[name] = _example(nested)
    return {name: examples[name] for name in details.model_fields if name in examples}


def _marked_paths(details: type[Details], kind: type[_PathMark]) -> Iterator[tuple[str, _PathMark]]:
    """Yield the marks of a kind with the path in a record that each applies to."""
    for name, field in details.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, kind):
                yield f"{name}.{mark.member}" if mark.member else name, mark
        if (nested := nested_details(field.annotation)) is not None:
            for path, mark in _marked_paths(nested, kind):
                yield f"{name}.{path}", mark


def _members(field: FieldInfo) -> tuple[str, ...]:
    if (nested := nested_details(field.annotation)) is not None:
        return tuple(nested.model_fields)
    marked = [mark for mark in field.metadata if isinstance(mark, (Searched, Listed))]
    return tuple(dict.fromkeys(mark.member for mark in marked if mark.member))


def nested_details(annotation: Any) -> type[Details] | None:
    """Return the details model that an annotation names; None for other types."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, Details) else None


DEFINITIONS: Final[dict[str, Definition]] = {}
"""All entity types by name, which `catalogue` adds."""
STREAMS: Final[dict[str, Definition]] = {}
"""The definitions of all streams by the prefix of the stream's name: entity types, and `actor`."""
