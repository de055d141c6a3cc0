"""SQL of what rows are sorted and narrowed by."""

from collections.abc import Collection, Mapping
from typing import Final

from psycopg import sql

from projections.tables import EntityTable
from projections.tables.search_terms import KEY_END, sortable_fields

_KEY: Final = sql.SQL("split_part(sort_keys, {end}, {number})")
_VALUE: Final = sql.SQL("nullif({}, '')")

WALKED: Final[Mapping[str, Collection[str]]] = {"drivers": ["name"]}
"""By which fields an index has all rows in order: ascending, those without a value last (migration 0032)."""


def key_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the key that a search table's row has of a field, empty where there is no value.

    An index of it has it in these words.
    """
    number = list(sortable_fields(table.entity)).index(name) + 1
    return _KEY.format(end=sql.Literal(KEY_END), number=sql.Literal(number))


def value_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the value that rows are sorted by, null where there is none; an index has it so, too."""
    return typed(table, name, _VALUE.format(key_sql(table, name)))


def typed(table: EntityTable, name: str, key: sql.Composable) -> sql.Composable:
    """Return SQL of what a field's key is compared as."""
    return sql.SQL("{}::numeric").format(key) if sortable_fields(table.entity)[name] == "number" else key
