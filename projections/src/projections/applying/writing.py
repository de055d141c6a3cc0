"""Writing many rows with few statements, none of them too large."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, LiteralString, NamedTuple, TypeVar

from psycopg import sql

from projections.tables import ReadTable

T = TypeVar("T")

STATEMENT_CHARACTERS: Final = 2_500_000
"""As many registrations as are read at once. Few events can make more: a hundred edits of one large record
are a hundred large states."""

ALWAYS: Final[LiteralString] = "true"


class Statement(NamedTuple):
    """A statement that changes a table."""

    text: bytes
    parameters: Sequence[Any]


@dataclass(frozen=True)
class Insertion:
    """Puts rows into a read table."""

    columns: tuple[tuple[LiteralString, LiteralString], ...]
    """Names and types, in the order of a row's values."""
    on_conflict: LiteralString = ""

    def statements(
        self, table: ReadTable, rows: Iterable[tuple[Any, ...]], condition: LiteralString = ALWAYS
    ) -> Iterator[Statement]:
        """Give the statements that insert rows where a condition holds, as many at once as one may hold."""
        for columns in column_chunks(rows):
            is_one = len(columns[0]) == 1
            # An array for each column of a single row would take longer to make than all the rest.
            given = [[_text(value) for (value,) in columns]] if is_one else columns
            yield Statement(_inserting(self, table, condition, is_one=is_one), given)


@dataclass(frozen=True)
class Writing:
    """What is to be written into one table."""

    table: ReadTable
    insertion: Insertion
    rows: Iterable[tuple[Any, ...]]
    """Made one by one, for they may be large."""
    removed: Sequence[str] = ()
    """Ids of rows that go."""

    def statements(self, condition: LiteralString = ALWAYS) -> Iterator[Statement]:
        """Give the statements that write it where a condition holds."""
        if self.removed:
            yield deletion(self.table, self.removed, condition)
        yield from self.insertion.statements(self.table, self.rows, condition)


def deletion(table: ReadTable, ids: Sequence[str], condition: LiteralString = ALWAYS) -> Statement:
    """Return the statement that removes rows by their ids, where a condition holds."""
    return Statement(_deleting(table, condition), [list(ids)])


@cache
def _inserting(insertion: Insertion, table: ReadTable, condition: LiteralString, *, is_one: bool) -> bytes:
    columns = insertion.columns
    names = ", ".join(f'"{name}"' for name, _ in columns)
    if is_one:
        given = "(VALUES (%b::text[])) AS one (given)"
        values = ", ".join(f"given[{number}]::{kind}" for number, (_, kind) in enumerate(columns, start=1))
    else:
        arrays = ", ".join(f"%b::{'text' if kind == 'json' else kind}[]" for _, kind in columns)
        given = f"unnest({arrays}) AS row ({names})"
        values = ", ".join(f'"{name}"::{kind}' for name, kind in columns)
    inserting = (
        f"INSERT INTO {table.identifier.as_string()} ({names}) SELECT {values} FROM {given}"  # noqa: S608 - our names
        f" WHERE {condition} {insertion.on_conflict}"
    )
    return " ".join(inserting.split()).encode()


@cache
def _deleting(table: ReadTable, condition: LiteralString) -> bytes:
    deleting = sql.SQL("DELETE FROM {} WHERE id = ANY(%b::text[]) AND {}")
    return deleting.format(table.identifier, sql.SQL(condition)).as_bytes(None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def column_chunks(
    rows: Iterable[tuple[Any, ...]], *, max_characters: int = STATEMENT_CHARACTERS
) -> Iterator[list[list[Any]]]:
    """Group rows into arrays, one per column, for statements that `unnest` them.

    Args:
        rows: the rows, in order; taken one by one, so that they need not all be in memory.
        max_characters: once a chunk's texts and boxes are longer than this, the next chunk begins.
    """
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


def portions(items: Sequence[T], size: int = 200) -> Iterator[Sequence[T]]:
    """Part many items, so that the event loop's other tasks can have their turn in between."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _columns(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
