"""Checkpoints: the size and root hash of the log, to be signed (C2SP `tlog-checkpoint`)."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from ops.tamper_evidence.accesses import NO_ACCESSES, AccessHead
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

_HASH_BYTES: Final = 32
_NUMBERS: Final = 1 << 53
_ORIGIN: Final = re.compile(r"fleetlog/[0-9A-Za-z._-]+")
_PREVIOUS: Final = "previous "
_TIME: Final = "time "
_STREAMS: Final = "streams "
_ACCESSES: Final = "accesses "
_RESTARTED: Final = "sealing-restarted "


class BadCheckpoint(Exception):
    """A text is not a checkpoint, or not signed with the expected key."""


@dataclass(frozen=True)
class SealingRestart:
    """A restart of sealing by an operator, which every later checkpoint lists.

    Attributes:
        known: size of the last known checkpoint; 0: none.
        root: root hash of the last known checkpoint; empty: none.
        kept: size of the last checkpoint that is still valid; later seals are void.
    """

    known: int
    root: bytes
    kept: int
    moment: datetime
    reason: str

    def line(self) -> str:
        """Return the line of a checkpoint."""
        members = {
            "known": self.known,
            "root": base64.b64encode(self.root).decode(),
            "kept": self.kept,
            "time": _moment_text(self.moment),
            "reason": self.reason,
        }
        return f"{_RESTARTED}{json.dumps(members)}\n"

    @classmethod
    def read(cls, text: str) -> "SealingRestart":
        """Parse the line without its name; raises `ValueError`, `KeyError` or `TypeError`."""
        members: dict[str, Any] = json.loads(text)
        root = base64.b64decode(members["root"], validate=True)
        return cls(
            int(members["known"]),
            root,
            int(members["kept"]),
            _moment(members["time"]),
            _reason(members["reason"]),
        )

    def __str__(self) -> str:
        known = f"it had been sealed up to {self.known}" if self.root else "no earlier checkpoint was known"
        return (
            f"Sealing was restarted after position {self.kept}, when {known},"
            f" at {_moment_text(self.moment)}: {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of the log at a time.

    Attributes:
        origin: name of the log: `fleetlog/` and its id.
        size: the last position.
        root: root hash of the tree of events.
        previous: size of the previous checkpoint, so that the removal of one is detected; 0: none.
        moment: when the checkpoint was signed, in whole seconds; None in early releases.
        streams: root hash of the tree of streams; empty in early releases.
        accesses: the end of the access log.
    """

    origin: str
    size: int
    root: bytes
    previous: int
    moment: datetime | None = None
    streams: bytes = b""
    accesses: AccessHead = NO_ACCESSES
    restarts: tuple[SealingRestart, ...] = ()

    def text(self) -> str:
        """Return the text to sign; the specification allows further lines after the third."""
        root = base64.b64encode(self.root).decode()
        lines = [f"{self.origin}\n{self.size}\n{root}\n{_PREVIOUS}{self.previous}\n"]
        if self.moment is not None:
            lines.append(f"{_TIME}{_moment_text(self.moment)}\n")
        if self.streams:
            lines.append(f"{_STREAMS}{base64.b64encode(self.streams).decode()}\n")
        if self.accesses.number:
            encoded = base64.b64encode(self.accesses.hash).decode()
            lines.append(f"{_ACCESSES}{self.accesses.number} {encoded}\n")
        return "".join([*lines, *(restart.line() for restart in self.restarts)])

    def signed(self, key: SigningKey) -> str:
        """Return the signed note."""
        return key.sign(self.text())

    @classmethod
    def from_note(cls, note: str, key: VerifyingKey) -> "Checkpoint":
        """Return the checkpoint of a note that the key has signed; raises `BadCheckpoint`."""
        try:
            text = key.open(note)
        except BadNote as error:
            raise BadCheckpoint(str(error)) from None
        return cls._of_text(text)

    @classmethod
    def from_unverified_note(cls, note: str) -> "Checkpoint":
        """Return the checkpoint of a note without verifying its signature; raises `BadCheckpoint`."""
        return cls._of_text(note.partition("\n\n")[0] + "\n")

    @classmethod
    def _of_text(cls, text: str) -> "Checkpoint":
        try:
            checkpoint = cls._read(*text.splitlines())
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadCheckpoint("not a checkpoint") from None
        hashes = (checkpoint.root, checkpoint.streams, checkpoint.accesses.hash)
        fits = (
            checkpoint.text() == text
            and _ORIGIN.fullmatch(checkpoint.origin) is not None
            and all(len(one) == _HASH_BYTES for one in hashes if one)
            and checkpoint.root != b""
            and all(0 <= number < _NUMBERS for number in checkpoint.numbers())
        )
        follows = 0 <= checkpoint.previous < checkpoint.size or checkpoint.previous == checkpoint.size == 0
        if not fits or not follows:
            raise BadCheckpoint("not a checkpoint")
        return checkpoint

    @classmethod
    def _read(cls, origin: str, size: str, root: str, previous: str, *more: str) -> "Checkpoint":
        moment, streams, accesses, restarts = None, b"", NO_ACCESSES, []
        for line in more:  # `_of_text` refuses repeated lines and another order
            if line.startswith(_TIME):
                moment = _moment(line.removeprefix(_TIME))
            elif line.startswith(_STREAMS):
                streams = base64.b64decode(line.removeprefix(_STREAMS), validate=True)
            elif line.startswith(_ACCESSES):
                number, _, encoded = line.removeprefix(_ACCESSES).partition(" ")
                accesses = AccessHead(int(number), base64.b64decode(encoded, validate=True))
            else:
                restarts.append(SealingRestart.read(line.removeprefix(_RESTARTED)))
        return cls(
            origin,
            int(size),
            base64.b64decode(root, validate=True),
            int(previous.removeprefix(_PREVIOUS)),
            moment,
            streams,
            accesses,
            tuple(restarts),
        )

    def numbers(self) -> Iterator[int]:
        """Yield all sizes and the number of the access."""
        yield from (self.size, self.previous, self.accesses.number)
        for restart in self.restarts:
            yield from (restart.known, restart.kept)

    @property
    def of_log(self) -> tuple[str, int, bytes]:
        """Origin, size and root: equal for checkpoints that differ only in the access log."""
        return self.origin, self.size, self.root

    def explains(self, other: "Checkpoint") -> bool:
        """Return whether a restart that this checkpoint lists has voided another one."""
        return any(
            restart.kept < other.size <= restart.known
            and (other.size < restart.known or other.root == restart.root)
            and restart not in other.restarts
            for restart in self.restarts
        )


def _moment_text(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")


def _reason(text: Any) -> str:
    str(text).encode()  # refuses unpaired surrogates
    return str(text)


def may_be_of(checkpoint: Checkpoint, origin: str, former: Mapping[str, int]) -> bool:
    """Return whether a checkpoint can be of a log.

    Args:
        former: names of logs from which it was restored, each with the last common position.
    """
    return checkpoint.origin == origin or checkpoint.size <= former.get(checkpoint.origin, 0)
