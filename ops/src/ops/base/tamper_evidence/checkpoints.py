"""Checkpoints of the log: its size and root hash, signed (C2SP `tlog-checkpoint` in `signed-note`)."""

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_NAME: Final = "fleetlog"
"""The name under which an instance signs."""

_ED25519: Final = b"\x01"
_SIGNATURE_MARK: Final = "\N{EM DASH} "
_ROOT_BYTES: Final = 32


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

    def text(self) -> str:
        """Return what is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


class VerifyingKey:
    """A public key with the name that signatures are made under."""

    def __init__(self, name: str, key: Ed25519PublicKey) -> None:
        """Take a key.

        Args:
            name: without blanks or plus signs.
            key: the key.
        """
        self.name = name
        self._key = key

    @classmethod
    def parse(cls, text: str) -> "VerifyingKey":
        """Read what `str()` writes: `<name>+<hash>+<key>` (C2SP `signed-note`).

        Raises:
            BadCheckpoint: it is no such key.
        """
        name, _, rest = text.strip().partition("+")
        digest, _, encoded = rest.partition("+")
        try:
            material = base64.b64decode(encoded, validate=True)
            if material[:1] != _ED25519:
                raise BadCheckpoint("not an Ed25519 key")
            key = cls(name, Ed25519PublicKey.from_public_bytes(material[1:]))
        except (binascii.Error, ValueError):
            raise BadCheckpoint("not a verification key") from None
        if key.id.hex() != digest:
            raise BadCheckpoint("the key does not fit its hash")
        return key

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self._raw).decode()}"

    @property
    def id(self) -> bytes:
        """Four bytes that tell it from other keys of the same name."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self._raw).digest()[:4]

    def open(self, note: str) -> Checkpoint:
        """Return the checkpoint that a signed note holds.

        Raises:
            BadCheckpoint: it holds none, or this key has not signed it.
        """
        text, _, signatures = note.rpartition("\n\n")
        text += "\n"
        if not any(self._has_signed(text, line) for line in signatures.splitlines()):
            raise BadCheckpoint(f"not signed by {self.name}")
        origin, size, root, *_ = [*text.split("\n"), "", "", ""]
        try:
            checkpoint = Checkpoint(origin, int(size), base64.b64decode(root, validate=True))
        except (binascii.Error, ValueError):
            raise BadCheckpoint("not a checkpoint") from None
        if str(checkpoint.size) != size or checkpoint.size < 0 or len(checkpoint.root) != _ROOT_BYTES:
            raise BadCheckpoint("not a checkpoint")
        return checkpoint

    def _has_signed(self, text: str, line: str) -> bool:
        name, _, encoded = line.removeprefix(_SIGNATURE_MARK).rpartition(" ")
        if not line.startswith(_SIGNATURE_MARK) or name != self.name:
            return False
        try:
            signature = base64.b64decode(encoded, validate=True)
            if signature[:4] != self.id:
                return False
            self._key.verify(signature[4:], text.encode())
        except (binascii.Error, ValueError, InvalidSignature):
            return False
        return True

    @property
    def _raw(self) -> bytes:
        return self._key.public_bytes_raw()


class SigningKey:
    """A private key with the name that it signs under."""

    def __init__(self, name: str, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.verifying_key = VerifyingKey(name, key.public_key())

    def sign(self, checkpoint: Checkpoint) -> str:
        """Return a checkpoint as a signed note."""
        text = checkpoint.text()
        signature = base64.b64encode(self.verifying_key.id + self._key.sign(text.encode())).decode()
        return f"{text}\n{_SIGNATURE_MARK}{self.verifying_key.name} {signature}\n"
