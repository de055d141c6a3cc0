"""No answer holds more at once than it must: rows are bounded in bytes as well as in number."""

from typing import Final, LiteralString

from psycopg import sql

PART_BYTES: Final = 1_000_000
"""Of what is read at once for one answer; a single larger row still comes."""

LIST_BYTES: Final = 16 * 1024 * 1024
"""Of a whole list that is read at once, by all who ask for it together; a longer one is sent in parts."""
PAGE_BYTES: Final = 4 * 1024 * 1024
"""The same of a page, which everybody reads alone."""

# Sizes are read from pointers; what does not fit is not fetched.
_WITHIN: Final = sql.SQL(
    """
    SELECT {columns}, found
    FROM (
      SELECT *,
        coalesce(sum({size}) OVER (
          ORDER BY {key} {order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before,
        count(*) OVER () AS found
      FROM ({rows}) AS next_rows
    ) AS measured
    WHERE bytes_before < {most}
    ORDER BY {key} {order}
    """
)


def within_bytes(
    rows: sql.Composable,
    *,
    columns: sql.Composable,
    size: LiteralString,
    key: str,
    descending: bool = False,
    most: int = PART_BYTES,
) -> sql.Composed:
    """Return what reads the first of some rows, but at least one, and with each how many there were.

    Args:
        rows: the statement that reads all of them, in their order and with a limit.
        columns: what is wanted of each.
        size: SQL that measures a row, such as `read.json_bytes(changes)`.
        key: the column that they are ordered by.
        descending: whether the greatest comes first.
        most: bytes.
    """
    return _WITHIN.format(
        columns=columns,
        size=sql.SQL(size),
        key=sql.Identifier(key),
        order=sql.SQL("DESC" if descending else "ASC"),
        rows=rows,
        most=sql.Literal(most),
    )
