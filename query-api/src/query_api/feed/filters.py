"""Which events are wanted."""

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
    """Whether a text can name types of events."""
    return _TYPE.fullmatch(text) is not None


@dataclass(frozen=True)
class Filter:
    """Which events are wanted; of what is empty, all."""

    entities: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    """In full, such as `fleetlog.driver.registered.v2`."""
    stems: frozenset[str] = frozenset()
    """Without the version, such as `fleetlog.driver.registered`: any version of it."""
    kinds: frozenset[str] = frozenset()
    """Such as `registered`: of any entity, in any version."""

    @classmethod
    def of(cls, entities: Iterable[str] = (), types: Iterable[str] = ()) -> Self:
        """Make a filter of entity types, and of types as `TYPE_PATTERN` has them."""
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
    def lets_all_through(self) -> bool:
        """Whether it is none."""
        return not self.entities and not self._has_types

    def fits(self, entity: str, kind: str) -> bool:
        """Tell whether an event is wanted.

        Args:
            entity: its entity type.
            kind: its type in full.
        """
        if self.entities and entity not in self.entities:
            return False
        if not self._has_types or kind in self.types:
            return True
        stem = kind.rpartition(".")[0]
        return stem in self.stems or stem.rpartition(".")[2] in self.kinds

    @property
    def log_types(self) -> list[str] | None:
        """The types in the log among which all wanted events are that can be read; None: any."""
        if not self._has_types:
            return None
        stems = self.stems | {name.rpartition(".")[0] for name in self.types}
        known = {stem.partition(".")[2] for stem in stems}
        return sorted(known | {f"{entity}.{kind}" for entity in ENTITIES for kind in self.kinds})

    @property
    def wants_unreadable(self) -> bool:
        """Whether events may be wanted that cannot be read; the log may call them anything."""
        return any(kind.endswith(f".{UNREADABLE}") for kind in self.log_types or ())

    @property
    def _has_types(self) -> bool:
        return bool(self.types or self.stems or self.kinds)


EVERYTHING: Final = Filter()
