"""What the projections write and the query API reads: the read tables and the shape of their rows.

This module stands on `ops.base` only, so that the read side can know the tables without the write side.
"""

from dataclasses import dataclass, field, replace
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
    published: tuple[str, ...] = field(default=(), kw_only=True)
    """The columns that the relay may read."""

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
    """The current state of every entity of one type: `id`, `version`, `position`, `record`, `list_item`,
    `search_text`, `sort_keys`.

    `record` and `list_item` are JSON text exactly as it is served, alone and in a list. Of the others tells
    `search_terms`: a list is searched and sorted without a look at its JSON.
    """

    entity: EntityType
    record: type[BaseModel]
    list_item: type[BaseModel]
    searched: tuple[str, ...]
    """What staff look a record up by, all of it text. Bank, passport and licence numbers are left out: what
    is searched for stands in addresses, which end in histories and logs."""


DRIVERS: Final = EntityTable(
    "drivers",
    2,
    DRIVER,
    records.DriverRecord,
    records.DriverRecord,
    ("id", "name", "mobile_number_1", "mobile_number_2", "email_address", "city"),
)
TRAILERS: Final = EntityTable(
    "trailers",
    2,
    TRAILER,
    records.TrailerRecord,
    records.TrailerListItem,
    ("id", "identifier", "trailer_registration_number", "owner_name", "type", "status", "currentLocation"),
)
HORSES: Final = EntityTable(
    "horses",
    2,
    HORSE,
    records.HorseRecord,
    records.HorseRecord,
    ("id", "identifier", "chassis_number", "engine_number", "owner"),
)
LOCATIONS: Final = EntityTable(
    "locations",
    2,
    LOCATION,
    records.LocationRecord,
    records.LocationRecord,
    (
        *("id", "name", "country", "location_type"),
        *("attributes.city", "attributes.state", "attributes.postalCode"),
    ),
)
ENTITY_TABLES: Final = (DRIVERS, TRAILERS, HORSES, LOCATIONS)

REVISIONS: Final = ReadTable(
    "revisions",
    3,
    published=(
        *("position", "entity", "entity_id", "version", "type", "moment", "traceparent"),
        *("public_event", "public_state"),
    ),
)
"""One row for every position of the log: the change, the state after it, and what is public of both."""

READ_TABLES: Final = (*ENTITY_TABLES, REVISIONS)

PROJECTED_CHANNEL: Final = "fleetlog_projected"
"""Notified with `<projection>:<position>` after every commit of a projection."""
