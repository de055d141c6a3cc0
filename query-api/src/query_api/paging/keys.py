"""SQL of what rows are sorted and narrowed by."""

from psycopg import sql

from projections.tables import EntityTable
from projections.tables.search_terms import KEY_END, keyed_fields


def key_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of what rows are sorted by where that is a field, in the form that indexes have."""
    number = list(keyed_fields(table.entity)).index(name) + 1
    return sql.SQL("split_part(sort_keys, {}, {})").format(sql.Literal(KEY_END), sql.Literal(number))
