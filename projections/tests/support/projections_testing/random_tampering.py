"""Changes a random byte in a row of the log, in the hashes or in a checkpoint."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg import sql

from projections_testing.sealed_data import AuditedCopy

_COLUMNS: Final = ("originator_id", "originator_version", "topic", "state", "moment", "command_id")


class RandomTampering:
    """Makes a random change in a copy, and reverts it.

    Args:
        sealed: the position up to which the copy is sealed.
        every: the number of events between checkpoints.
    """

    def __init__(self, copy: AuditedCopy, *, sealed: int, every: int, seed: int) -> None:
        self._copy = copy
        self._sealed = sealed
        self._every = every
        self._lot = random.Random(seed)

    @contextmanager
    def tampered(self) -> Iterator[tuple[str, int]]:
        """Make a change while the context lasts; yield its description and the position to report."""
        match self._lot.choice(["row", "row", "row", "deleted", "hash", "checkpoint", "removed"]):
            case "row":
                with self._row() as done:
                    yield done
            case "deleted":
                with self._deleted() as done:
                    yield done
            case "hash":
                at = self._lot.randrange(self._sealed * 32)
                with self._byte(self._copy.folder / "hashes", at):
                    yield f"byte {at} of the hashes", at // 32 + 1
            case "checkpoint":
                path = self._copy.note(self._checkpoint())
                at = self._lot.randrange(path.stat().st_size)
                with self._byte(path, at):
                    yield f"byte {at} of {path.name}", int(path.stem)
            case _:
                path = self._copy.note(self._checkpoint())
                away = path.rename(path.with_suffix(".away"))
                is_last = int(path.stem) == self._sealed
                try:
                    yield (
                        f"{path.name} removed",
                        self._sealed - self._every + 1 if is_last else int(path.stem),
                    )
                finally:
                    away.rename(path)

    def _checkpoint(self) -> int:
        return self._lot.randrange(self._every, self._sealed + 1, self._every)

    @contextmanager
    def _byte(self, path: Path, at: int) -> Iterator[None]:
        original = path.read_bytes()
        changed = bytearray(original)
        changed[at] ^= self._lot.randrange(1, 256)
        path.write_bytes(changed)
        try:
            yield
        finally:
            path.write_bytes(original)

    @contextmanager
    def _row(self) -> Iterator[tuple[str, int]]:
        position, column = self._lot.randint(1, self._sealed), self._lot.choice(_COLUMNS)
        name = sql.Identifier(column)
        read = sql.SQL("SELECT {} FROM log.events WHERE notification_id = %s").format(name)
        write = sql.SQL("UPDATE log.events SET {} = %s WHERE notification_id = %s").format(name)
        with psycopg.connect(self._copy.owner, autocommit=True) as connection:
            rows = connection.execute(read, (position,), binary=True).fetchall()
            ((value,),) = rows
            changed = self._changed(value)
            connection.execute(write, (changed, position))
            try:
                yield f"{column} of {position}: {value!r} to {changed!r}", position
            finally:
                connection.execute(write, (value, position))

    @contextmanager
    def _deleted(self) -> Iterator[tuple[str, int]]:
        position = self._lot.randint(1, self._sealed)
        with psycopg.connect(self._copy.owner, autocommit=True) as connection:
            rows = connection.execute(
                "DELETE FROM log.events WHERE notification_id = %s RETURNING *", (position,), binary=True
            ).fetchall()
            try:
                yield f"{position} deleted", position
            finally:
                connection.execute("INSERT INTO log.events VALUES (%s, %s, %s, %s, %s, %s, %s)", rows[0])

    def _changed(self, value: Any) -> Any:
        """Change one byte of a value, or one bit if some bytes are invalid."""
        match value:
            case str():
                at = self._lot.randrange(len(value))
                other = self._lot.choice([one for one in "abcXYZ:_-" if one != value[at]])
                return value[:at] + other + value[at + 1 :]
            case bytes():
                at = self._lot.randrange(len(value))
                return value[:at] + bytes([value[at] ^ self._lot.randrange(1, 256)]) + value[at + 1 :]
            case int():
                return value ^ 1 << self._lot.randrange(7, 63)  # what no other event has
            case UUID():
                return UUID(int=value.int ^ 1 << self._lot.randrange(128))
            case _:
                return value + timedelta(microseconds=1 << self._lot.randrange(50))
