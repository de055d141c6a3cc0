"""Filters of the feed."""

from dataclasses import dataclass
from typing import Final

from ops.base.records.entities import ENTITY_TYPES
from read_model.public_events.envelope import TYPE_PREFIX, UNREADABLE

ENTITIES: Final = tuple(entity.name for entity in ENTITY_TYPES)

_KIND: Final = "[a-z][a-z_]{0,49}"
_ENTITY: Final = "|".join(ENTITIES)
TYPE_PATTERN: Final = rf"^({TYPE_PREFIX}\.({_ENTITY})\.{_KIND}\.v[1-9][0-9]{{0,3}}|(({_ENTITY})\.)?{_KIND})$"
"""A type in full, an entity's kind in any version, or a kind alone."""


@dataclass(frozen=True)
class EventFilter:
    """Selects events by entity type and event type; an empty set selects all."""

    entities: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    """Texts that match `TYPE_PATTERN`."""

    @property
    def is_empty(self) -> bool:
        """Whether the filter selects all events."""
        return not self.entities and not self.types

    def matches(self, entity: str, event_type: str) -> bool:
        """Return whether the filter selects an event of a complete type."""
        if self.entities and entity not in self.entities:
            return False
        stem = _stem(event_type)
        return not self.types or not self.types.isdisjoint((event_type, stem, stem.partition(".")[2]))

    @property
    def log_types(self) -> list[str] | None:
        """The log's types of all readable events that the filter can select; None: any."""
        if not self.types:
            return None
        stems = {_stem(name) for name in self.types}
        entities = [f"{entity}." for entity in ENTITIES]
        return sorted({prefix + stem for stem in stems for prefix in ([""] if "." in stem else entities)})

    @property
    def wants_unreadable(self) -> bool:
        """Whether the filter selects unreadable events, which may have any type in the log."""
        return any(kind.endswith(f".{UNREADABLE}") for kind in self.log_types or ())


def _stem(name: str) -> str:
    """Return a complete type as an entity's kind, such as `driver.registered`; other types unchanged."""
    prefix, _, rest = name.partition(".")
    return rest.rpartition(".")[0] if prefix == TYPE_PREFIX else name


EVERYTHING: Final = EventFilter()
