"""Texts signed with Ed25519 (C2SP `signed-note`)."""

import base64
import binascii
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_NAME: Final = "fleetlog"
"""Name of an instance's key."""

_ED25519: Final = b"\x01"
_SIGNATURE_MARK: Final = "\N{EM DASH} "


class BadNote(Exception):
    """A text is not signed with the expected key, or a key is malformed."""


class VerifyingKey:
    """A public key and its name."""

    def __init__(self, name: str, key: Ed25519PublicKey) -> None:
        """Create a key; the name must not contain spaces or plus signs."""
        self.name = name
        self._key = key

    @classmethod
    def parse(cls, text: str) -> "VerifyingKey":
        """Parse `<name>+<hash>+<key>`, the format of `str()`; raises `BadNote`."""
        name, _, rest = text.strip().partition("+")
        digest, _, encoded = rest.partition("+")
        try:
            material = base64.b64decode(encoded, validate=True)
            if material[:1] != _ED25519:
                raise BadNote("not an Ed25519 verification key")
            key = cls(name, Ed25519PublicKey.from_public_bytes(material[1:]))
        except (binascii.Error, ValueError):
            raise BadNote("not a verification key") from None
        if key.id.hex() != digest:
            raise BadNote("the key does not fit its hash")
        return key

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self._raw).decode()}"

    @property
    def id(self) -> bytes:
        """Four bytes that distinguish keys of the same name."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self._raw).digest()[:4]

    def open(self, note: str) -> str:
        """Return the text of a note that this key has signed; raises `BadNote`."""
        text, _, signatures = note.rpartition("\n\n")
        text += "\n"
        *lines, rest = signatures.split("\n")
        if rest or not any(self._has_signed(text, line) for line in lines):
            raise BadNote(f"not signed by {self.name}")
        return text

    def _has_signed(self, text: str, line: str) -> bool:
        name, _, encoded = line.removeprefix(_SIGNATURE_MARK).rpartition(" ")
        if not line.startswith(_SIGNATURE_MARK) or name != self.name:
            return False
        try:
            signature = base64.b64decode(encoded, validate=True)
            if signature[:4] != self.id or base64.b64encode(signature).decode() != encoded:
                return False
            self._key.verify(signature[4:], text.encode())
        except (ValueError, InvalidSignature):  # ValueError: not base64, or not UTF-8
            return False
        return True

    @property
    def _raw(self) -> bytes:
        return self._key.public_bytes_raw()


class SigningKey:
    """A private key and its name."""

    def __init__(self, name: str, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.verifying_key = VerifyingKey(name, key.public_key())

    def sign(self, text: str) -> str:
        """Return the signed note of a text that ends with a line feed."""
        signature = base64.b64encode(self.verifying_key.id + self._key.sign(text.encode())).decode()
        return f"{text}\n{_SIGNATURE_MARK}{self.verifying_key.name} {signature}\n"
