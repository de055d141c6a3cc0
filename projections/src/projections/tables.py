"""What the projections write and the query API reads: the read tables and the shape of their rows.

This module stands on `ops.base` only, so that the read side can know the tables without the write side.
"""

from dataclasses import dataclass, replace
from typing import Final, TypeVar

from psycopg import sql
from pydantic import BaseModel

from ops.base.entities import DRIVER, HORSE, LOCATION, TRAILER, EntityType
from projections import records


@dataclass(frozen=True)
class ReadTable:
    """A table in the schema `read`, kept by the projection of the same name."""

    name: str
    version: int
    """Raised whenever the same events make different rows: ETags change, and the worker fills it anew."""

    @property
    def identifier(self) -> sql.Identifier:
        """The table's name, quoted for a statement."""
        return sql.Identifier("read", self.name)


_Table = TypeVar("_Table", bound=ReadTable)


def next_table(table: _Table) -> _Table:
    """Return the table that a rebuild fills, to take the other one's place and name when it is complete."""
    return replace(table, name=f"{table.name}_next")


@dataclass(frozen=True)
class EntityTable(ReadTable):
    """The current state of every entity of one type: `id`, `version`, `position`, `record`, `list_item`.

    `record` and `list_item` are JSON text exactly as it is served, alone and in a list.
    """

    entity: EntityType
    record: type[BaseModel]
    list_item: type[BaseModel]


DRIVERS: Final = EntityTable("drivers", 1, DRIVER, records.DriverRecord, records.DriverRecord)
TRAILERS: Final = EntityTable("trailers", 1, TRAILER, records.TrailerRecord, records.TrailerListItem)
HORSES: Final = EntityTable("horses", 1, HORSE, records.HorseRecord, records.HorseRecord)
LOCATIONS: Final = EntityTable("locations", 1, LOCATION, records.LocationRecord, records.LocationRecord)
ENTITY_TABLES: Final = (DRIVERS, TRAILERS, HORSES, LOCATIONS)

REVISIONS: Final = ReadTable("revisions", 2)
"""One row for every position of the log: which change it was, and the state after it."""

READ_TABLES: Final = (*ENTITY_TABLES, REVISIONS)

PROJECTED_CHANNEL: Final = "fleetlog_projected"
"""Notified with `<projection>:<position>` after every commit of a projection."""
