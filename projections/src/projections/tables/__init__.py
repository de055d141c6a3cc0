"""What the projections write and the query API reads: the read tables and the shape of their rows.

This module stands on `ops.base` only, so that the read side can know the tables without the write side.
"""

from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from psycopg import sql

from ops.base.records.entities import ENTITY_TYPES, EntityType

_NEXT: Final = "_next"


@dataclass(frozen=True)
class ReadTable:
    """A table in the schema `read`, kept by the projection of the same name."""

    name: str
    version: int
    """Raised whenever the same events make different rows: ETags change, and the worker fills it anew.

    A release that changes what records look like raises it by itself; any other change does so here.
    """
    published: tuple[str, ...] = field(default=(), kw_only=True)
    """The columns that the relay may read."""

    @property
    def sealed_as(self) -> str:
        """The name that its boxes are sealed for: it outlives a rebuild."""
        return self.name.removesuffix(_NEXT)

    @property
    def is_next(self) -> bool:
        """Whether a rebuild fills it: nobody reads it yet."""
        return self.name.endswith(_NEXT)

    @property
    def identifier(self) -> sql.Identifier:
        """The table's name, quoted for a statement."""
        return sql.Identifier("read", self.name)


_Table = TypeVar("_Table", bound=ReadTable)


def next_table(table: _Table) -> _Table:
    """Return the table that a rebuild fills, to take the other one's place and name when it is complete."""
    return replace(table, name=table.name + _NEXT)


@dataclass(frozen=True)
class EntityTable(ReadTable):
    """The current state of every entity of one type: `id`, `version`, `position`, `record`, `list_item`,
    `key_id`, `box`, `restricted`.

    `record` and `list_item` are JSON text exactly as it is served, alone and in a list.
    Where `key_id` names a key, personal values are null in these, and `box` has both as they are
    (`boxes`), for whoever has the key; there is none where nobody has it.
    Where it is `restricted`, `list_item` is masked for everybody, and nothing is searched by.
    """

    entity: EntityType

    @property
    def search(self) -> ReadTable:
        """What its lists are searched and sorted by: `id`, `version`, and what `search_terms` tells of."""
        return ReadTable(f"{self.sealed_as}_search", self.version)


ENTITY_TABLES: Final = tuple(
    EntityTable(entity.collection, 5 + entity.reshaped, entity) for entity in ENTITY_TYPES
)

REVISIONS: Final = ReadTable(
    "revisions",
    5 + sum(entity.reshaped for entity in ENTITY_TYPES),  # it has records, too
    published=(
        *("position", "entity", "entity_id", "version", "type", "moment", "traceparent"),
        *("public_event", "public_state"),
    ),
)
"""One row for every position of the log: the change, the state after it, and what is public of both."""

READ_TABLES: Final = (*ENTITY_TABLES, REVISIONS)

PROJECTED_CHANNEL: Final = "fleetlog_projected"
"""Notified after every commit of a projection: `projected` has what is told."""
