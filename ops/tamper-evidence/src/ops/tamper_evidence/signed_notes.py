"""Texts signed with Ed25519 (C2SP `signed-note`)."""

import base64
import binascii
import re
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_NAME: Final = "fleetlog"
"""Name of an instance's key."""
AUDIT_FILE: Final = "fleetlog-audit-file/1"
"""First line of the manifest of an audit file; no checkpoint or receipt begins with it."""

_ED25519: Final = b"\x01"
SIGNATURE_MARK: Final = "\N{EM DASH} "
_SIGNATURE_LINE: Final = re.compile(SIGNATURE_MARK + r"([!-*,-~]+) (\S+)")
_ID_BYTES: Final = 4
_SHORTEST: Final = _ID_BYTES + 1


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
        return sha256(self.name.encode() + b"\n" + _ED25519 + self._raw).digest()[:_ID_BYTES]

    def open(self, note: str) -> str:
        """Return the text of a note that this key has signed; raises `BadNote`."""
        text, _, signatures = note.rpartition("\n\n")
        text += "\n"
        *lines, rest = signatures.split("\n")
        try:
            found = [_signature(line) for line in lines]
        except ValueError:
            raise BadNote("a signature line is malformed") from None
        own = [signature for name, id_, signature in found if (name, id_) == (self.name, self.id)]
        if rest or not any(self._has_signed(text, signature) for signature in own):
            raise BadNote(f"not signed by {self.name}")
        return text

    def _has_signed(self, text: str, signature: bytes) -> bool:
        try:
            self._key.verify(signature, text.encode())
        except (UnicodeEncodeError, InvalidSignature):
            return False
        return True

    @property
    def _raw(self) -> bytes:
        return self._key.public_bytes_raw()


def _signature(line: str) -> tuple[str, bytes, bytes]:
    """Return the name, the key id and the signature of a line; raises `ValueError`."""
    found = _SIGNATURE_LINE.fullmatch(line)
    signature = base64.b64decode(found[2], validate=True) if found else b""
    if found is None or len(signature) < _SHORTEST or base64.b64encode(signature).decode() != found[2]:
        raise ValueError("not a signature line")
    return found[1], signature[:_ID_BYTES], signature[_ID_BYTES:]


class SigningKey:
    """A private key and its name."""

    def __init__(self, name: str, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.verifying_key = VerifyingKey(name, key.public_key())

    def sign(self, text: str) -> str:
        """Return the signed note of a text that ends with a line feed."""
        signature = base64.b64encode(self.verifying_key.id + self._key.sign(text.encode())).decode()
        return f"{text}\n{SIGNATURE_MARK}{self.verifying_key.name} {signature}\n"
