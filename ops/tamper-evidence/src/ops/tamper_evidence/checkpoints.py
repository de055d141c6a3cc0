"""Checkpoints of the log: its size and root hash, to be signed (C2SP `tlog-checkpoint`)."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from ops.tamper_evidence.accesses import NO_ACCESSES, AccessHead
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

_HASH_BYTES: Final = 32
_PREVIOUS: Final = "previous "
_TIME: Final = "time "
_ACCESSES: Final = "accesses "
_BEGUN_ANEW: Final = "begun-anew "


class BadCheckpoint(Exception):
    """A text is no checkpoint, or not signed with the key that it should be."""


@dataclass(frozen=True)
class Beginning:
    """That sealing was begun anew, by somebody's command: every later checkpoint tells of it."""

    known: int
    """Size of the last checkpoint that was known anywhere; 0: none was."""
    root: bytes
    """Its root hash; empty: none was known."""
    kept: int
    """Size of the last checkpoint that still holds: nothing vouches for what was sealed after it."""
    moment: datetime
    reason: str

    def line(self) -> str:
        """Return it as a checkpoint tells it."""
        reported = {
            "known": self.known,
            "root": base64.b64encode(self.root).decode(),
            "kept": self.kept,
            "time": _told(self.moment),
            "reason": self.reason,
        }
        return f"{_BEGUN_ANEW}{json.dumps(reported)}\n"

    @classmethod
    def read(cls, text: str) -> "Beginning":
        """Read what follows the line's name.

        Raises:
            ValueError, KeyError, TypeError: it is something else.
        """
        reported: dict[str, Any] = json.loads(text)
        root = base64.b64decode(reported["root"], validate=True)
        return cls(
            int(reported["known"]),
            root,
            int(reported["kept"]),
            _moment(reported["time"]),
            str(reported["reason"]),
        )

    def __str__(self) -> str:
        known = f"it had been sealed up to {self.known}" if self.root else "no earlier checkpoint was known"
        return (
            f"Sealing was begun anew after position {self.kept}, when {known},"
            f" at {_told(self.moment)}: {self.reason}"
        )


@dataclass(frozen=True)
class Checkpoint:
    """What the log was at some moment."""

    origin: str
    """Names the log: `fleetlog/` and its id."""
    size: int
    """Its last position."""
    root: bytes
    """Root hash of the tree of its events."""
    previous: int
    """Size of the checkpoint before, so that none can be taken away unnoticed; 0: there was none."""
    moment: datetime | None = None
    """When it was signed, by the sealer's clock, in whole seconds; early releases did not say."""
    accesses: AccessHead = NO_ACCESSES
    """The end of the access log."""
    beginnings: tuple[Beginning, ...] = ()
    """How often sealing was begun anew."""

    def text(self) -> str:
        """Return what is signed; the specification leaves lines after the third to each log."""
        root = base64.b64encode(self.root).decode()
        lines = [f"{self.origin}\n{self.size}\n{root}\n{_PREVIOUS}{self.previous}\n"]
        if self.moment is not None:
            lines.append(f"{_TIME}{_told(self.moment)}\n")
        if self.accesses.number:
            encoded = base64.b64encode(self.accesses.hash).decode()
            lines.append(f"{_ACCESSES}{self.accesses.number} {encoded}\n")
        return "".join([*lines, *(beginning.line() for beginning in self.beginnings)])

    def signed(self, key: SigningKey) -> str:
        """Return it as a signed note."""
        return key.sign(self.text())

    @classmethod
    def opened(cls, note: str, key: VerifyingKey) -> "Checkpoint":
        """Return the checkpoint that a signed note holds.

        Raises:
            BadCheckpoint: it holds none, or the key has not signed it.
        """
        try:
            text = key.open(note)
        except BadNote as error:
            raise BadCheckpoint(str(error)) from None
        return cls._of_text(text)

    @classmethod
    def unverified(cls, note: str) -> "Checkpoint":
        """Return the checkpoint that a note holds, whoever has signed it.

        Raises:
            BadCheckpoint: it holds none.
        """
        return cls._of_text(note.partition("\n\n")[0] + "\n")

    @classmethod
    def _of_text(cls, text: str) -> "Checkpoint":
        try:
            checkpoint = cls._read(*text.splitlines())
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadCheckpoint("not a checkpoint") from None
        fits = checkpoint.text() == text and len(checkpoint.root) == _HASH_BYTES
        follows = 0 <= checkpoint.previous < checkpoint.size or checkpoint.previous == checkpoint.size == 0
        if not fits or not follows:
            raise BadCheckpoint("not a checkpoint")
        return checkpoint

    @classmethod
    def _read(cls, origin: str, size: str, root: str, previous: str, *more: str) -> "Checkpoint":
        moment, accesses, beginnings = None, NO_ACCESSES, []
        for line in more:  # in another order, or doubled, they would not make the same text again
            if line.startswith(_TIME):
                moment = _moment(line.removeprefix(_TIME))
            elif line.startswith(_ACCESSES):
                number, _, encoded = line.removeprefix(_ACCESSES).partition(" ")
                accesses = AccessHead(int(number), base64.b64decode(encoded, validate=True))
            else:
                beginnings.append(Beginning.read(line.removeprefix(_BEGUN_ANEW)))
        return cls(
            origin,
            int(size),
            base64.b64decode(root, validate=True),
            int(previous.removeprefix(_PREVIOUS)),
            moment,
            accesses,
            tuple(beginnings),
        )

    @property
    def of_log(self) -> tuple[str, int, bytes]:
        """What it says of the log; the same may have been signed again later, for more accesses."""
        return self.origin, self.size, self.root

    def explains(self, other: "Checkpoint") -> bool:
        """Whether it tells that another one was given up when sealing was begun anew."""
        return any(
            beginning.kept < other.size <= beginning.known
            and (other.size < beginning.known or other.root == beginning.root)
            and beginning not in other.beginnings
            for beginning in self.beginnings
        )


def _told(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")


def may_bear(checkpoint: Checkpoint, origin: str, former: Mapping[str, int]) -> bool:
    """Whether a checkpoint can be one of a log.

    Args:
        checkpoint: in question.
        origin: the log's name.
        former: its names before it was restored, each with the last position that it shares with that log.
    """
    return checkpoint.origin == origin or checkpoint.size <= former.get(checkpoint.origin, 0)
