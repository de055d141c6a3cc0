"""Checkpoints of the log: its size and root hash, to be signed (C2SP `tlog-checkpoint`)."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ops.base.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

_ROOT_BYTES: Final = 32
_PREVIOUS: Final = "previous "


class BadCheckpoint(Exception):
    """A text is no checkpoint, or not signed with the key that it should be."""


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

    def text(self) -> str:
        """Return what is signed; the last line is one that the specification leaves to each log."""
        root = base64.b64encode(self.root).decode()
        return f"{self.origin}\n{self.size}\n{root}\n{_PREVIOUS}{self.previous}\n"

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
        try:
            origin, size, root, previous = text.splitlines()
            checkpoint = cls(
                origin,
                int(size),
                base64.b64decode(root, validate=True),
                int(previous.removeprefix(_PREVIOUS)),
            )
        except ValueError:
            raise BadCheckpoint("not a checkpoint") from None
        fits = checkpoint.text() == text and len(checkpoint.root) == _ROOT_BYTES
        if not fits or not 0 <= checkpoint.previous < checkpoint.size:
            raise BadCheckpoint("not a checkpoint")
        return checkpoint


def may_bear(checkpoint: Checkpoint, origin: str, former: Mapping[str, int]) -> bool:
    """Whether a checkpoint can be one of a log.

    Args:
        checkpoint: in question.
        origin: the log's name.
        former: its names before it was restored, each with the last position that it shares with that log.
    """
    return checkpoint.origin == origin or checkpoint.size <= former.get(checkpoint.origin, 0)
