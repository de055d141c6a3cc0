"""What is asked of the audit trail."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from ops.base.entities import ENTITY_TYPES, ID_PATTERN
from projections.tables import ENTITY_TABLES
from query_api.history.points import read_instant
from query_api.parameters import BadParameter, Reader, one_of, plain_text, read_parameters, whole_number

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_POSITION: Final = 2**53 - 1
FORMATS: Final = ("json", "csv", "ndjson")
ENTITIES: Final = tuple(entity.name for entity in ENTITY_TYPES)

Format = Literal["json", "csv", "ndjson"]
_ID: Final = re.compile(ID_PATTERN, re.ASCII)
_ENTITIES_WITH: Final[dict[str, set[str]]] = {}
"""By the names of fields, the entity types that have them."""
for _table in ENTITY_TABLES:
    for _field in _table.entity.schema["properties"]:
        _ENTITIES_WITH.setdefault(_field, set()).add(_table.entity.name)


@dataclass(frozen=True)
class Filter:
    """Which changes are looked for; None: any."""

    entity: str | None = None
    id: str | None = None
    actor: str | None = None
    type: str | None = None
    """Such as `driver.removed`, or `removed` alone."""
    field: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """The first instant that does not belong to it."""
    q: str | None = None

    @property
    def entities(self) -> tuple[str, ...]:
        """The entity types whose changes can be let through at all, as far as that can be told from names."""
        possible = [{self.entity} if self.entity else set(ENTITIES)]
        if self.type is not None and "." in self.type:
            possible.append({self.type.partition(".")[0]})
        if self.field is not None:
            # A field that no record has now may have been one.
            possible.append(_ENTITIES_WITH.get(self.field, set(ENTITIES)))
        return tuple(entity for entity in ENTITIES if all(entity in names for names in possible))

    @property
    def types(self) -> list[str] | None:
        """The types that `type` stands for, in full."""
        if self.type is None or "." in self.type:
            return None if self.type is None else [self.type]
        return [f"{entity}.{self.type}" for entity in ENTITIES]


@dataclass(frozen=True)
class Part:
    """A part of a timeline."""

    cursor: int | None = None
    """The position after which it begins (when descending, before which); None: at the beginning."""
    limit: int = DEFAULT_LIMIT
    descending: bool = False


@dataclass(frozen=True)
class Asked:
    """What a request asks of the audit trail."""

    filter: Filter
    part: Part
    format: Format
    reveal: bool


def read_asked(query: bytes) -> Asked:
    """Read a request's parameters; an export takes no part but everything.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    members = read_parameters(query, {"format": one_of("format", FORMATS)})
    form: Format = members.get("format", "json")
    exported = form != "json"
    readers: dict[str, Reader] = {
        **_FILTERS,
        **(dict.fromkeys(PARTS, _not_exported) if exported else PARTS),
        "order": one_of("order", ("asc", "desc")),
        "reveal": one_of("reveal", ("true", "false")) if exported else _only_exported,
    }
    members = read_parameters(query, readers)
    filters = {name: members[name] for name in members.keys() & Filter.__dataclass_fields__.keys()}
    part = {name: members[name] for name in members.keys() & PARTS.keys()}
    return Asked(
        Filter(**filters),
        Part(**part, descending=members.get("order") == "desc"),
        form,
        members.get("reveal") == "true",
    )


def read_part(query: bytes) -> Part:
    """Read `cursor`, `limit` and `order`.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    members = read_parameters(query, {**PARTS, "order": one_of("order", ("asc", "desc"))})
    return Part(members.get("cursor"), members.get("limit", DEFAULT_LIMIT), members.get("order") == "desc")


def _id(text: str) -> dict[str, Any]:
    if not _ID.fullmatch(text):
        raise BadParameter("Must be an id")
    return {"id": text}


def _not_exported(_text: str) -> dict[str, Any]:
    raise BadParameter("An export has no parts")


def _only_exported(_text: str) -> dict[str, Any]:
    raise BadParameter("Only exports are masked: give a format, csv or ndjson")


PARTS: Final[Mapping[str, Reader]] = {
    "cursor": lambda text: {"cursor": whole_number(text, 0, MAX_POSITION)},
    "limit": lambda text: {"limit": whole_number(text, 1, MAX_LIMIT)},
}
_FILTERS: Final[Mapping[str, Reader]] = {
    "entity": one_of("entity", ENTITIES),
    "id": _id,
    "actor": lambda text: {"actor": plain_text(text)},
    "type": lambda text: {"type": plain_text(text)},
    "field": lambda text: {"field": plain_text(text)},
    "from": lambda text: {"since": read_instant(text)},
    "to": lambda text: {"until": read_instant(text)},
    "q": lambda text: {"q": plain_text(text)},
}
