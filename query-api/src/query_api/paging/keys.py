"""SQL of what rows are sorted and narrowed by."""

from collections.abc import Collection, Mapping
from typing import Final

from psycopg import sql

from projections.tables import EntityTable
from projections.tables.search_terms import KEY_END, sortable_fields

_KEY: Final = sql.SQL("split_part(sort_keys, {end}, {number})")

WALKED: Final[Mapping[str, Collection[str]]] = {"drivers": ["name"]}
"""By which fields an index has all rows in order: ascending, those without a value last (migration 0032)."""


def key_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the key that a search table's row has of a field, empty where there is no value.

    An index of it has it in these words.
    """
    number = list(sortable_fields(table.entity)).index(name) + 1
    return _KEY.format(end=sql.Literal(KEY_END), number=sql.Literal(number))
