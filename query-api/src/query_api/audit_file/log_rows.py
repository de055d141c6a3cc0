"""Reads what a proof needs of the log: rows, roots of skipped subtrees, and the last events of streams."""

from collections.abc import Iterator
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import args_row

from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Subtrees, root_of
from ops.tamper_evidence.proofs import Scope
from ops.tamper_evidence.sealed_log import BLOCK
from ops.tamper_evidence.stream_tree import StreamHead

_ROWS_AT_ONCE: Final = 200
"""Fetched at once; a single event may be as large as the largest request body."""
_BETWEEN: Final = """
SELECT notification_id, originator_id, originator_version, topic, state, moment, command_id
FROM log.events WHERE notification_id > %s AND notification_id <= %s
"""
_ORDER: Final = "ORDER BY notification_id"
_SHOWN: Final = {
    "all": "",
    "type": "AND starts_with(originator_id, %s || ':')",
    "stream": "AND originator_id = %s",
}
_ROOTS: Final = "SELECT number, root FROM audit.subtrees WHERE number >= %s AND number < %s"
_HEADS: Final = """
SELECT originator_id, max(originator_version), max(notification_id)
FROM log.events WHERE notification_id <= %s GROUP BY originator_id
"""
_HEADS_AT_ONCE: Final = 10_000


class LogReader:
    """Reads the log over a connection of its own, which is not in autocommit mode."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection
        self._block: tuple[int, Subtrees] | None = None
        """The first position of a block of events, less one, and the hashes of its events."""

    def rows(self, scope: Scope, low: int, high: int) -> Iterator[LogRow]:
        """Yield the events of a scope after a position up to another one, in order."""
        name = [scope.name] if scope.name else []
        yield from self._read("shown", f"{_BETWEEN} {_SHOWN[scope.kind]} {_ORDER}", (low, high, *name))

    def root_between(self, first: int, last: int) -> bytes:
        """Return the root of the full subtree of the events after a position up to another one."""
        if last - first < BLOCK:
            start = first - first % BLOCK
            if self._block is None or self._block[0] != start or self._block[1].size < last - start:
                self._block = start, Subtrees(self._hashes(start))
            return self._block[1].root_between(first - start, last - start)
        numbers = range(first // BLOCK, last // BLOCK)
        stored = dict(self._connection.execute(_ROOTS, (numbers.start, numbers.stop)).fetchall())
        blocks = [stored.get(number) or root_of([*self._hashes(number * BLOCK)]) for number in numbers]
        return Subtrees(blocks).root_between(0, len(blocks))

    def heads(self, size: int) -> Iterator[StreamHead]:
        """Yield the last events of all streams up to a position."""
        with self._connection.cursor(name="heads", row_factory=args_row(StreamHead)) as cursor:
            cursor.itersize = _HEADS_AT_ONCE
            yield from cursor.execute(_HEADS, (size,), binary=True)

    def _hashes(self, start: int) -> Iterator[bytes]:
        """Yield the hashes of the events of the block after a position."""
        for row in self._read("block", f"{_BETWEEN} {_ORDER}", (start, start + BLOCK)):
            yield row.hash()

    def _read(self, cursor_name: str, statement: str, parameters: tuple[Any, ...]) -> Iterator[LogRow]:
        with self._connection.cursor(cursor_name, row_factory=args_row(LogRow), scrollable=False) as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            yield from cursor.execute(statement.encode(), parameters, binary=True)
