"""Marks of fields: examples, search, filters, personal data, and the values that are public.

A field with personal data is marked once, and every mask derives from that mark. Publication works the other
way round: a field is public only because a mark says so, and only in values that users cannot write freely.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel

from command_api.domain.rules import LONG_TEXT, Text, is_day, is_moment
from ops.base.records.entities import is_id

_Mark = TypeVar("_Mark")


@dataclass(frozen=True)
class Example:
    """Example value of a field, for documents and tests. Not null, which FastAPI drops."""

    value: Any


@dataclass(frozen=True)
class Searched:
    """Includes a text in searches. Bank, passport and licence numbers are never searched: search terms are
    part of URLs, which end in histories and logs.
    """

    member: str = ""
    """The member to search, if the field is a free-form object."""
    in_list: bool = True
    """Whether the search box above the list includes the text (product.md: validation)."""


@dataclass(frozen=True)
class Filtered:
    """Lets lists be filtered by a field: by equal values, or by days, written `YYYY-MM-DD`."""

    kind: Literal["value", "days"] = "value"


@dataclass(frozen=True)
class Unique:
    """No two registered records have equal values in the field; see `domain.uniqueness` for what is equal."""

    during: tuple[str, str] | None = None
    """The fields with the beginning and the end of the time for which a record has its value, or the values
    of a list: at other times other records may have them. None: always."""


@dataclass(frozen=True)
class References:
    """A field with the id, or the ids, of registered records of another type, which are not restricted."""

    entity: str


@dataclass(frozen=True)
class Listed:
    """Gives a field, or a member of a free-form object, an additional name in lists."""

    name: str
    member: str = ""


@dataclass(frozen=True)
class PersonalData:
    """A field that identifies or exposes a person: masked without `personal:read`."""


@dataclass(frozen=True)
class FreeText(PersonalData):
    """Free text, which may name people: masked, unless the instance publishes free text."""


Note = Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()]
"""Long free text."""


@dataclass(frozen=True)
class Public:
    """A public field; subclasses restrict the values that are shown.

    Values are checked again on publication: stored events may be older than the field's rule.
    """

    def shows(self, value: Any) -> bool:  # noqa: ARG002
        """Return whether a value of the field is public."""
        return True

    def described(self) -> str:
        """Return the restriction, for the description of the field in published schemas."""
        return ""


class PublicNumber(Public):
    """A public number."""

    def shows(self, value: Any) -> bool:
        """Return whether the value is a number or null."""
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


class PublicDay(Public):
    """A public day, `YYYY-MM-DD`."""

    def shows(self, value: Any) -> bool:
        """Return whether the value is a day or null."""
        return value is None or is_day(value)


class PublicMoment(Public):
    """A public moment, as `rules.Moment` stores it."""

    def shows(self, value: Any) -> bool:
        """Return whether the value is a moment or null."""
        return value is None or is_moment(value)


class PublicId(Public):
    """Public ids, or lists of ids, of other records, whose own events publish them as well."""

    def shows(self, value: Any) -> bool:
        """Return whether the value is an id, null, or a list of ids."""
        ids = value if isinstance(value, list) else [value]
        return value is None or all(isinstance(one, str) and is_id(one) for one in ids)


@dataclass(frozen=True)
class PublicWord(Public):
    """A field with public words; any other text is masked."""

    words: tuple[str, ...]

    def shows(self, value: Any) -> bool:
        """Return whether the value is one of the words or null."""
        return value is None or (isinstance(value, str) and value in self.words)

    def described(self) -> str:
        """Return the words, for the description of the field in published schemas."""
        return f"shown where it is one of: {', '.join(self.words)}"


def marks(details: type[BaseModel], kind: type[_Mark]) -> dict[str, _Mark]:
    """Return the marks of a kind on a model's fields, by the fields' names."""
    return {
        name: mark
        for name, field in details.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, kind)
    }
