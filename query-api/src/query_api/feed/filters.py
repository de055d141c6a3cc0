"""Filters of the feed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from ops.base.records.entities import ENTITY_TYPES
from projections.public_events.envelope import TYPE_PREFIX, UNREADABLE

ENTITIES: Final = tuple(entity.name for entity in ENTITY_TYPES)

_KIND: Final = "[a-z][a-z_]{0,49}"
_ENTITY: Final = "|".join(ENTITIES)
TYPE_PATTERN: Final = rf"^({TYPE_PREFIX}\.({_ENTITY})\.{_KIND}\.v[1-9][0-9]{{0,3}}|(({_ENTITY})\.)?{_KIND})$"
"""A type in full, an entity's kind in any version, or a kind alone."""
_TYPE: Final = re.compile(TYPE_PATTERN, re.ASCII)


def is_type(text: str) -> bool:
    """Return whether a text matches `TYPE_PATTERN`."""
    return _TYPE.fullmatch(text) is not None


@dataclass(frozen=True)
class Filter:
    """Selects events by entity type and event type; an empty set selects all."""

    entities: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    """Complete types, such as `fleetlog.driver.registered.v2`."""
    stems: frozenset[str] = frozenset()
    """Types in any version, such as `fleetlog.driver.registered`."""
    kinds: frozenset[str] = frozenset()
    """Types of any entity in any version, such as `registered`."""

    @classmethod
    def of(cls, entities: Iterable[str] = (), types: Iterable[str] = ()) -> Self:
        """Return a filter of entity types and of types that match `TYPE_PATTERN`."""
        names = frozenset(types)
        full = {name for name in names if name.startswith(f"{TYPE_PREFIX}.")}
        stems = {name for name in names - full if "." in name}
        return cls(
            frozenset(entities),
            frozenset(full),
            frozenset(f"{TYPE_PREFIX}.{stem}" for stem in stems),
            names - full - stems,
        )

    @property
    def is_empty(self) -> bool:
        """Whether the filter selects all events."""
        return not self.entities and not self._has_types

    def matches(self, entity: str, event_type: str) -> bool:
        """Return whether the filter selects an event of a complete type."""
        if self.entities and entity not in self.entities:
            return False
        if not self._has_types or event_type in self.types:
            return True
        stem = event_type.rpartition(".")[0]
        return stem in self.stems or stem.rpartition(".")[2] in self.kinds

    @property
    def log_types(self) -> list[str] | None:
        """The log's types of all readable events that the filter can select; None: any."""
        if not self._has_types:
            return None
        stems = self.stems | {name.rpartition(".")[0] for name in self.types}
        known = {stem.partition(".")[2] for stem in stems}
        return sorted(known | {f"{entity}.{kind}" for entity in ENTITIES for kind in self.kinds})

    @property
    def wants_unreadable(self) -> bool:
        """Whether the filter selects unreadable events, which may have any type in the log."""
        return any(kind.endswith(f".{UNREADABLE}") for kind in self.log_types or ())

    @property
    def _has_types(self) -> bool:
        return bool(self.types or self.stems or self.kinds)


EVERYTHING: Final = Filter()
