"""Writing many rows with few statements, none of them too large."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")

STATEMENT_CHARACTERS: Final = 1_000_000
"""Few events can make many megabytes: a hundred edits of one large record are a hundred large states."""


def column_chunks(
    rows: Iterable[tuple[Any, ...]], *, max_characters: int = STATEMENT_CHARACTERS
) -> Iterator[list[list[Any]]]:
    """Group rows into arrays, one per column, for statements that `unnest` them.

    Args:
        rows: the rows, in order; taken one by one, so that they need not all be in memory.
        max_characters: once a chunk's texts are longer than this, the next chunk begins.
    """
    chunk: list[tuple[Any, ...]] = []
    characters = 0
    for row in rows:
        chunk.append(row)
        characters += sum(len(value) for value in row if isinstance(value, str))
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
