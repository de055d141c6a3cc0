"""The entity types of the product, as released by the write side.

`entities.json` is generated from the modules in `command_api.domain.entities` for each release.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ops.base.permissions import Permission

RELEASED: Final = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class EntityType:
    """An entity type of the fleet."""

    name: str
    """Singular, as in stream names: `driver`."""
    collection: str
    """Plural, as in the read table's name: `drivers`."""
    path: str
    """Path of the collection in both APIs (product.md: calls)."""
    wrapper: str | None
    """Member that contains a single record in answers; None: the record is the answer."""
    permission: Permission | None = None
    """The permission for everything that needs a `fleet:` permission for other types; None: those."""
    listed: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Additional names of a record in lists, with the paths of their values."""
    searched: tuple[str, ...] = ()
    """Text fields of the search."""
    searched_in_list: tuple[str, ...] = ()
    """Search fields of the visible list."""
    filtered: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Filters of the list: fields, and whether by `value` or by `days`."""
    personal: tuple[str, ...] = ()
    """Personal fields, including those that only lists have."""
    reshaped: int = 0
    """Version of the record's shape; rows of an earlier version are rebuilt."""
    given_id: bool = False
    """Whether the client must choose the id."""
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """JSON Schema of a record."""
    example: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """An example record."""

    def needs(self, permission: Permission) -> Permission:
        """Return the permission that this type needs in place of a `fleet:` permission."""
        return self.permission or permission

    def wrap(self, record: Any) -> Any:
        """Return the body of an answer with a single record."""
        return record if self.wrapper is None else {self.wrapper: record}

    def wrap_json(self, record: bytes) -> bytes:
        """Return the body of an answer with a single record, given as compact JSON."""
        return record if self.wrapper is None else b'{"%b":%b}' % (self.wrapper.encode(), record)

    def wrap_schema(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the JSON Schema of an answer, given the record's."""
        if self.wrapper is None:
            return schema
        return {"type": "object", "required": [self.wrapper], "properties": {self.wrapper: schema}}

    def list_item(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record as its list shows it."""
        if not self.listed:
            return record
        return {**record, **{name: value_at(record, path) for name, path in self.listed.items()}}

    @cached_property
    def list_schema(self) -> Mapping[str, Any]:
        """JSON Schema of a record in a list."""
        if not self.listed:
            return self.schema
        known = self.schema["properties"]
        more = {
            name: {**known.get(path, {}), "description": f"`{path}`, else null"}
            for name, path in self.listed.items()
        }
        return {
            **self.schema,
            "properties": {**known, **more},
            "required": [*self.schema["required"], *more],
        }

    @cached_property
    def harmless(self) -> frozenset[str]:
        """The names in records and lists that are declared as not personal."""
        return frozenset(self.list_schema.get("properties", ())).difference(self.personal)


def value_at(record: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path of a record, such as `data.currentLocation`, or None."""
    name, _, member = path.partition(".")
    value = record[name]
    if not member:
        return value
    return value.get(member) if isinstance(value, dict) else None


_TUPLES: Final = ("searched", "searched_in_list", "personal")


def _released(text: str) -> tuple[EntityType, ...]:
    def made(described: dict[str, Any]) -> EntityType:
        tuples = {name: tuple(described[name]) for name in _TUPLES}
        permission = described.get("permission")
        return EntityType(**{**described, **tuples, "permission": permission and Permission(permission)})

    return tuple(map(made, json.loads(text)))


ENTITY_TYPES: Final = _released(RELEASED.read_text(encoding="utf-8"))

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""Pattern of ids. `RESERVED_IDS` are refused too, because they are routes of the frontend."""

RESERVED_IDS: Final = frozenset({"add", "edit", "import"})

_ID: Final = re.compile(ID_PATTERN, re.ASCII)


NOT_DETAILS: Final = frozenset({"id", "created_at", "updated_at"})
"""Members of a record that are not details."""

ACTOR: Final = EntityType("actor", "actors", "/api/v1/actors", None)
"""Users: no entity type of the product, and without records, but with streams."""


def is_id(text: str) -> bool:
    """Return whether a text has the form of an id."""
    return _ID.fullmatch(text) is not None


def entity_type(name: str) -> EntityType:
    """Return an entity type by name; raises `KeyError`."""
    return _BY_NAME[name]


_BY_NAME: Final = {entity.name: entity for entity in ENTITY_TYPES}
