"""Statements that write many rows, of limited size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, LiteralString, NamedTuple

from psycopg import sql

from read_model.tables import ReadTable

STATEMENT_CHARACTERS: Final = 2_500_000
"""Enough for a batch of registrations. Few events can produce more: a hundred edits of one large record are a
hundred large states."""

_CONDITION: Final = b"{condition}"
_AS_TEXT: Final = ("json", "text[]")
"""Types whose values are sent as texts; an array of arrays would become one array."""


class Statement(NamedTuple):
    """A statement that changes a table, with a placeholder for a condition."""

    text: bytes
    parameters: Sequence[Any]

    def under(self, condition: bytes = b"true") -> bytes:
        """Return the text with the condition."""
        return self.text.replace(_CONDITION, condition)


@dataclass(frozen=True)
class Insertion:
    """Inserts rows into a read table."""

    columns: tuple[tuple[LiteralString, LiteralString], ...]
    """Names and types, in the order of a row's values."""
    on_conflict: LiteralString = ""
    """An ON CONFLICT clause, in which `kept` is the table."""

    def statements(self, table: ReadTable, rows: Iterable[tuple[Any, ...]]) -> Iterator[Statement]:
        """Yield the statements that insert rows, each with as many as it may hold."""
        for columns in column_chunks(rows):
            is_one = len(columns[0]) == 1
            # For a single row, one array is much faster than an array for each column.
            given = [[_text(value) for (value,) in columns]] if is_one else columns
            yield Statement(_inserting(self, table, is_one=is_one), given)


@dataclass(frozen=True)
class Write:
    """Rows to write into one table, and rows to delete."""

    table: ReadTable
    insertion: Insertion
    rows: Iterable[tuple[Any, ...]]
    """Computed one by one, because they may be large."""
    removed: Sequence[str] = ()
    """Ids of rows to delete."""

    def statements(self) -> Iterator[Statement]:
        """Yield the statements; only once if `rows` is an iterator."""
        if self.removed:
            yield Statement(_deleting(self.table), [list(self.removed)])
        yield from self.insertion.statements(self.table, self.rows)

    @property
    def fewest(self) -> int:
        """The number of statements if the rows fit into one."""
        return 1 + bool(self.removed)


@cache
def _inserting(insertion: Insertion, table: ReadTable, *, is_one: bool) -> bytes:
    columns = insertion.columns
    names = ", ".join(f'"{name}"' for name, _ in columns)
    if is_one:
        given = "(VALUES (%b::text[])) AS one (given)"
        values = ", ".join(f"given[{number}]::{kind}" for number, (_, kind) in enumerate(columns, start=1))
    else:
        arrays = ", ".join(f"%b::{'text' if kind in _AS_TEXT else kind}[]" for _, kind in columns)
        given = f"unnest({arrays}) AS row ({names})"
        values = ", ".join(f'"{name}"::{kind}' for name, kind in columns)
    inserting = (
        f"INSERT INTO {table.identifier.as_string()} AS kept ({names}) SELECT {values} FROM {given}"  # noqa: S608 - our names
        f" WHERE {{condition}} {insertion.on_conflict}"
    )
    return " ".join(inserting.split()).encode()


@cache
def _deleting(table: ReadTable) -> bytes:
    deleting = sql.SQL("DELETE FROM {} WHERE id = ANY(%b::text[]) AND {{condition}}")
    return deleting.format(table.identifier).as_bytes(None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def column_chunks(
    rows: Iterable[tuple[Any, ...]], *, max_characters: int = STATEMENT_CHARACTERS
) -> Iterator[list[list[Any]]]:
    """Group rows into chunks of at most about `max_characters`, each with an array for every column."""
    chunk: list[tuple[Any, ...]] = []
    characters = 0
    for row in rows:
        chunk.append(row)
        characters += sum([len(value) for value in row if isinstance(value, str | bytes)])
        if characters > max_characters:
            yield _columns(chunk)
            chunk, characters = [], 0
    if chunk:
        yield _columns(chunk)


def _columns(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
