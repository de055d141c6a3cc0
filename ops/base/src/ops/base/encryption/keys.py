"""A data key: encryption of one subject's personal data."""

import hmac
import os
import time
from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ID_LENGTH: Final = 22
"""Characters of a key's id: base64url of a time in milliseconds and 80 random bits, in the order of RFC 9562,
so that keys issued together are stored together."""
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_MAC_CHARACTERS: Final = 32


class DecryptionError(Exception):
    """A ciphertext was changed, or belongs to another key or context."""


class Key:
    """A key for AES-256-GCM (NIST SP 800-38D).

    Nonces are derived from key, context and plaintext, as in RFC 5297 and RFC 8452: equal plaintexts in the
    same context have equal ciphertexts, so that two builds of a table can be compared. A ciphertext reveals
    nothing else.
    """

    __slots__ = ("_prefix", "id", "secret")

    def __init__(self, key_id: str, secret: bytes) -> None:
        """Create a key from its id and 32 secret bytes."""
        self.id = key_id
        self.secret = secret
        self._prefix = key_id.encode() + b"|"

    @classmethod
    def new(cls) -> Self:
        """Return a new random key."""
        moment = (time.time_ns() // 1_000_000).to_bytes(6, "big")
        random = os.urandom(10 + _KEY_BYTES)
        return cls(urlsafe_b64encode(moment + random[:10])[:ID_LENGTH].decode(), random[10:])

    def encrypt(self, plaintext: bytes, context: bytes) -> bytes:
        """Return the nonce and the ciphertext with its authentication tag.

        Args:
            context: where the ciphertext is stored (AEAD's associated data); decryption requires the same.
        """
        authenticated = self._prefix + context
        nonces = self._derived(b"nonces")
        nonce = blake2b(authenticated + b"|" + plaintext, key=nonces, digest_size=_NONCE_BYTES).digest()
        return nonce + self._cipher().encrypt(nonce, plaintext, authenticated)

    def decrypt(self, ciphertext: bytes, context: bytes) -> bytes:
        """Return the plaintext; raises `DecryptionError`."""
        nonce, encrypted = ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:]
        try:
            return self._cipher().decrypt(nonce, encrypted, self._prefix + context)
        except (InvalidTag, ValueError):
            raise DecryptionError(f"a ciphertext does not match key {self.id} and its context") from None

    def fingerprint(self, text: str) -> str:
        """Return a keyed hash of a text (HMAC-SHA256, RFC 2104), with the key's id."""
        mac = hmac.digest(self._derived(b"fingerprints"), text.encode(), "sha256")
        return f"{self.id}.{mac.hex()[:_MAC_CHARACTERS]}"

    def hash(self, text: str) -> bytes:
        """Return a keyed hash of a text, of 16 bytes (BLAKE2b, RFC 7693)."""
        return blake2b(text.encode(), key=self.secret, person=b"unique values", digest_size=16).digest()

    # Cipher and derived keys are not stored: most keys are used once or twice, and a cipher object is seven
    # times as large as the rest of a key.

    def _cipher(self) -> AESGCM:
        return AESGCM(self.secret)

    def _derived(self, purpose: bytes) -> bytes:
        return blake2b(key=self.secret, person=purpose, digest_size=_KEY_BYTES).digest()


def key_of_fingerprint(fingerprint: str) -> str | None:
    """Return the id of the key that a fingerprint was made with; None for a fingerprint without a key."""
    key_id, dot, _ = fingerprint.partition(".")
    return key_id if dot else None
