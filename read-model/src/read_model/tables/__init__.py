"""Declarations of the read tables, which the projections write and the query API reads."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from psycopg import sql

from ops.base.records.entities import ENTITY_TYPES, EntityType

_NEXT: Final = "_next"


@dataclass(frozen=True)
class ReadTable:
    """A table in the schema `read`, which the projection of the same name maintains."""

    name: str
    version: int
    """Raised when the same events yield other rows: ETags change, and the worker rebuilds the table.

    A release that changes the shape of records raises it automatically.
    """
    published: tuple[str, ...] = field(default=(), kw_only=True)
    """The columns that the relay may read."""
    derived: "tuple[ReadTable, ...]" = field(default=(), kw_only=True)
    """Tables that triggers fill from its rows. A rebuild replaces them with it."""

    @property
    def encrypted_as(self) -> str:
        """The name that ciphertexts are bound to; a rebuild does not change it."""
        return self.name.removesuffix(_NEXT)

    @property
    def is_next(self) -> bool:
        """Whether a rebuild fills the table, and no one reads it yet."""
        return self.name.endswith(_NEXT)

    @property
    def identifier(self) -> sql.Identifier:
        """The table's name, quoted for a statement."""
        return sql.Identifier("read", self.name)


_Table = TypeVar("_Table", bound=ReadTable)


def next_table(table: _Table) -> _Table:
    """Return the table that a rebuild fills, which will replace the given one."""
    return replace(table, name=table.name + _NEXT)


@dataclass(frozen=True)
class EntityTable(ReadTable):
    """The current state of every entity of one type: `id`, `version`, `position`, `record`, `list_item`,
    `key_id`, `ciphertext`, `restricted`.

    `record` and `list_item` are JSON texts exactly as they are served, alone and in a list. If `key_id` names
    a key, personal values are null in both, and `ciphertext` has the complete texts (`packed`) unless the key
    was destroyed. If `restricted`, `list_item` is masked, and searches do not find the row.
    """

    entity: EntityType

    @property
    def search(self) -> ReadTable:
        """The table of search terms: `id`, `version`, `search_text`, `sort_keys` (`search_terms`), and
        `match_keys` (`read_model.matching`)."""
        return ReadTable(f"{self.encrypted_as}_search", self.version)


def packed(record: str, list_item: str) -> list[str]:
    """Return the texts of a row to encrypt; the list item is empty if it equals the record."""
    return [record, "" if list_item == record else list_item]


def list_item_in(texts: Sequence[bytes]) -> bytes:
    """Return the list item of the decrypted texts, the first of which is the record."""
    return texts[1] or texts[0]


ENTITY_TABLES: Final = tuple(
    EntityTable(entity.collection, 6 + entity.reshaped, entity) for entity in ENTITY_TYPES
)

INTERVALS: Final = ReadTable("assignment_intervals", 1)
"""Assignments by record: `record` (such as `driver:EMP-1`), `holds`, `known`, `id`, `version`."""

REVISIONS: Final = ReadTable(
    "revisions",
    5 + sum(entity.reshaped for entity in ENTITY_TYPES),  # revisions contain records
    published=(
        *("position", "entity", "entity_id", "version", "type", "moment", "traceparent"),
        *("public_event", "public_state"),
    ),
    derived=(INTERVALS,),
)
"""One row for every position of the log: the change, the state after it, and the public part of both."""

READ_TABLES: Final = (*ENTITY_TABLES, REVISIONS)

PROJECTED_CHANNEL: Final = "fleetlog_projected"
"""Notified after every commit of a projection; `notification` describes the payload."""
