"""A subject's key, and what is sealed under it."""

import hmac
import os
import time
from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ID_LENGTH: Final = 22
"""Characters of a key's id: milliseconds and 80 random bits in the order of RFC 9562, so that keys that are
made together are kept and found together, in base64 as URLs have it."""
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_MAC_CHARACTERS: Final = 32


class DecryptionError(Exception):
    """A box was changed, or is of another key, or of another place."""


class Key:
    """What a subject's data is sealed under: AES-256-GCM (NIST SP 800-38D).

    Nonces are made of what is sealed and of where it belongs, as RFC 5297 and 8452 do it: the same text in
    the same place makes the same box, so tables that were built twice can be compared, and nothing but that
    can be told from it.

    Attributes:
        id: what it is called.
    """

    __slots__ = ("_prefix", "_secret", "id")

    def __init__(self, key_id: str, secret: bytes) -> None:
        """Take a key.

        Args:
            key_id: what it is called.
            secret: 32 bytes.
        """
        self.id = key_id
        self._prefix = key_id.encode() + b"|"
        self._secret = secret

    @classmethod
    def new(cls) -> Self:
        """Make a key that nobody has."""
        moment = (time.time_ns() // 1_000_000).to_bytes(6, "big")
        random = os.urandom(10 + _KEY_BYTES)
        return cls(urlsafe_b64encode(moment + random[:10])[:ID_LENGTH].decode(), random[10:])

    @property
    def secret(self) -> bytes:
        """Its bytes: to be wrapped, and for nothing else."""
        return self._secret

    def encrypt(self, plaintext: bytes, context: bytes) -> bytes:
        """Return the nonce and the ciphertext with its authentication tag.

        Args:
            plaintext: the data to encrypt.
            context: where the ciphertext is stored (AEAD's associated data); decryption requires the same.
        """
        authenticated = self._prefix + context
        nonces = self._derived(b"nonces")
        nonce = blake2b(authenticated + b"|" + plaintext, key=nonces, digest_size=_NONCE_BYTES).digest()
        return nonce + self._cipher().encrypt(nonce, plaintext, authenticated)

    def decrypt(self, ciphertext: bytes, context: bytes) -> bytes:
        """Return the plaintext.

        Raises:
            DecryptionError: the ciphertext was changed, or belongs to another key or context.
        """
        nonce, encrypted = ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:]
        try:
            return self._cipher().decrypt(nonce, encrypted, self._prefix + context)
        except (InvalidTag, ValueError):
            raise DecryptionError(f"a ciphertext does not match key {self.id} and its context") from None

    def fingerprint(self, text: str) -> str:
        """Return what tells a text from others, to those who have the key (HMAC-SHA256, RFC 2104)."""
        mac = hmac.digest(self._derived(b"fingerprints"), text.encode(), "sha256")
        return f"{self.id}.{mac.hex()[:_MAC_CHARACTERS]}"

    def _cipher(self) -> AESGCM:
        # Not kept: it is seven times as large as all else, and most keys are used once or twice.
        return AESGCM(self._secret)

    def _derived(self, purpose: bytes) -> bytes:
        # Not kept: most keys are used once or twice, and to derive takes less than to look it up.
        return blake2b(key=self._secret, person=purpose, digest_size=_KEY_BYTES).digest()


def key_of_fingerprint(fingerprint: str) -> str | None:
    """Return the id of the key that a fingerprint was made with; None: it was made with none."""
    key_id, dot, _ = fingerprint.partition(".")
    return key_id if dot else None
