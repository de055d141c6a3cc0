"""The access log as a chain: each row's hash covers the one before it, and checkpoints seal its end."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID


class AccessHead(NamedTuple):
    """Where the chain ended at some moment."""

    number: int
    """Of its last row; 0: it has none."""
    hash: bytes


NO_ACCESSES = AccessHead(0, b"")


class AccessRow(NamedTuple):
    """A row of `audit.accesses`; the fields are its columns, in their order."""

    number: int
    access_id: UUID
    moment: datetime | None
    actor_sub: str
    actor_name: str
    request_id: str
    action: str
    details: str
    """JSON as it was written."""
    hash: bytes

    def chained(self, previous: bytes) -> bytes:
        """Return the hash that it must have after another one; `audit.access_hash` computes the same.

        Raises:
            AttributeError: its moment is none.
        """
        moment = self.moment.astimezone(UTC).replace(tzinfo=None)  # type: ignore[union-attr]
        fields = (
            str(self.number),
            str(self.access_id),
            moment.isoformat(timespec="microseconds"),
            self.actor_sub,
            self.actor_name,
            self.request_id,
            self.action,
            self.details,
        )
        encoded = (field.encode() for field in fields)
        return sha256(previous + b"".join(b"%d:%s" % (len(field), field) for field in encoded)).digest()


class AccessCheck:
    """Holds the access log, as it is read, against itself and against what checkpoints say of it."""

    def __init__(self, sealed: Mapping[int, bytes], forgettable: Collection[int] = ()) -> None:
        """Begin before its first row.

        Args:
            sealed: hashes of rows that were sealed, by number.
            forgettable: the numbers among them up to which rows may have been forgotten.
        """
        self._unseen = dict(sealed)
        self._forgettable = frozenset(forgettable)
        self._hash = b""
        self.number = 0
        """Of the last row that was taken."""
        self.fault: str | None = None
        """The first thing that does not fit; None: everything fits."""

    def take(self, row: AccessRow) -> None:
        """Take the next row, in the numbers' order."""
        if self.fault is not None:
            return
        if not self.number and row.number - 1 in self._forgettable:
            self._hash = self._unseen[row.number - 1]
            self._unseen = {number: sealed for number, sealed in self._unseen.items() if number >= row.number}
        try:
            fits = row.chained(self._hash) == row.hash
        except (AttributeError, TypeError):
            fits = False
        if not fits:
            self.fault = f"access {row.number} is not what was recorded after {self.number or 'nothing'}"
            return
        sealed = self._unseen.pop(row.number, row.hash)
        if sealed != row.hash:
            self.fault = f"an access was changed, added or removed before access {row.number} was sealed"
            return
        self.number, self._hash = row.number, row.hash

    def finish(self) -> None:
        """Say that there was no further row."""
        if self.fault is None and self._unseen:
            self.fault = f"access {min(self._unseen)}, which was sealed, is missing"
