"""The access log as a hash chain, whose end checkpoints seal."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID


class AccessHead(NamedTuple):
    """The end of the chain at a time."""

    number: int
    """Number of the last row; 0: the chain is empty."""
    hash: bytes


NO_ACCESSES = AccessHead(0, b"")


class AccessRow(NamedTuple):
    """A row of `audit.accesses`, in the order of its columns."""

    number: int
    access_id: UUID
    moment: datetime | None
    actor_sub: str
    actor_name: str
    request_id: str
    action: str
    details: str
    """JSON as stored."""
    hash: bytes

    def chained(self, previous: bytes) -> bytes:
        """Return the row's hash, given the previous row's; the same as SQL's `audit.access_hash`.

        Raises:
            AttributeError: the row has no time.
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
    """Verifies the chain of the access log, and compares it with the checkpoints."""

    def __init__(self, sealed: Mapping[int, bytes], deletable: Collection[int] = ()) -> None:
        """Start before the first row.

        Args:
            sealed: hashes of sealed rows by number.
            deletable: the sealed numbers up to which older rows may have been deleted.
        """
        self._unseen = dict(sealed)
        self._deletable = frozenset(deletable)
        self._hash = b""
        self.number = 0
        """Number of the last row."""
        self.fault: str | None = None
        """The first mismatch; None: the chain is intact."""

    def add(self, row: AccessRow) -> None:
        """Verify the next row, in the order of numbers."""
        if self.fault is not None:
            return
        if not self.number and row.number - 1 in self._deletable:
            self._hash = self._unseen[row.number - 1]
            self._unseen = {number: sealed for number, sealed in self._unseen.items() if number >= row.number}
        try:
            fits = row.chained(self._hash) == row.hash
        except (AttributeError, TypeError):
            fits = False
        if not fits:
            self.fault = f"access {row.number} does not match the hash chain after {self.number or 'nothing'}"
            return
        sealed = self._unseen.pop(row.number, row.hash)
        if sealed != row.hash:
            self.fault = f"an access was changed, added or removed before access {row.number} was sealed"
            return
        self.number, self._hash = row.number, row.hash

    def finish(self) -> None:
        """End the verification: no row follows."""
        if self.fault is None and self._unseen:
            self.fault = f"access {min(self._unseen)}, which was sealed, is missing"
