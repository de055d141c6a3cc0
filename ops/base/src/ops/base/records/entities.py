"""The entity types of the product, as the write side has released them for everybody else.

`entities.json` follows from the modules in `command_api.domain.entities`; nothing but a release changes it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

RELEASED: Final = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class EntityType:
    """One kind of thing the fleet is made of."""

    name: str
    """Singular, as in stream names: `driver`."""
    collection: str
    """Plural, as in the read table's name: `drivers`."""
    path: str
    """Where both APIs serve the collection (product.md: calls)."""
    wrapper: str | None
    """Member under which a single record is answered; None: the record is answered bare."""
    listed: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Further names that a record has in a list, and where in the record their values are."""
    searched: tuple[str, ...] = ()
    """What staff look a record up by, all of it text."""
    searched_in_list: tuple[str, ...] = ()
    """Of that, where the search of the list that staff see looks."""
    filtered: Mapping[str, str] = field(default_factory=dict, compare=False)
    """By what its list is narrowed besides, and how: to a `value`, or to `days`."""
    personal: tuple[str, ...] = ()
    """The names whose values are personal data, those that only lists have included."""
    reshaped: int = 0
    """How many releases have changed what records look like: rows of an earlier shape are made anew."""
    given_id: bool = False
    """Whether whoever registers one must name its id; else the server can make one."""
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """JSON Schema of a record."""
    example: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """A record."""

    def wrap(self, record: Any) -> Any:
        """Return the body of a single record's answer."""
        return record if self.wrapper is None else {self.wrapper: record}

    def wrap_json(self, record: bytes) -> bytes:
        """Return the body of a single record's answer, of the record as compact JSON."""
        return record if self.wrapper is None else b'{"%b":%b}' % (self.wrapper.encode(), record)

    def wrap_schema(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the JSON Schema of such a body, of that of a record."""
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
        """The names, in records and lists, of what is nobody's personal data; of no other is that known."""
        return frozenset(self.list_schema.get("properties", ())).difference(self.personal)


def value_at(record: Mapping[str, Any], path: str) -> Any:
    """Return what is in a record at a path, such as `data.currentLocation`; None where nothing is."""
    name, _, member = path.partition(".")
    value = record[name]
    if not member:
        return value
    return value.get(member) if isinstance(value, dict) else None


_TUPLES: Final = ("searched", "searched_in_list", "personal")


def _released(text: str) -> tuple[EntityType, ...]:
    def made(described: dict[str, Any]) -> EntityType:
        return EntityType(**{**described, **{name: tuple(described[name]) for name in _TUPLES}})

    return tuple(map(made, json.loads(text)))


ENTITY_TYPES: Final = _released(RELEASED.read_text(encoding="utf-8"))

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What an id may look like; `add` and `edit` are refused besides, for the frontend's routes use them."""

RESERVED_IDS: Final = frozenset({"add", "edit", "import"})

_ID: Final = re.compile(ID_PATTERN, re.ASCII)


NOT_DETAILS: Final = frozenset({"id", "created_at", "updated_at"})
"""What a record has besides its details."""

ACTOR: Final = EntityType("actor", "actors", "/api/v1/actors", None)
"""Who acts: none of the product's entity types, and without a record, but with a stream."""


def is_id(text: str) -> bool:
    """Whether a text looks like an id; whatever else an address may hold names nothing."""
    return _ID.fullmatch(text) is not None


def entity_type(name: str) -> EntityType:
    """Return the entity type of a name.

    Raises:
        KeyError: there is none.
    """
    return _BY_NAME[name]


_BY_NAME: Final = {entity.name: entity for entity in ENTITY_TYPES}
