"""Pseudonyms for people: the same for the same person, and of no use without the instance's key."""

import hmac
from functools import lru_cache
from typing import Final

KEY_BYTES: Final = 32
_PURPOSE: Final = b"fleetlog actor\0"
_REMEMBERED: Final = 1000


class Pseudonyms:
    """Makes them: HMAC-SHA256 of a subject under the key, of which the first 128 bits are told."""

    def __init__(self, key: bytes) -> None:
        """Take the key.

        Args:
            key: secret, and at least `KEY_BYTES` long.

        Raises:
            ValueError: it is shorter.
        """
        if len(key) < KEY_BYTES:
            raise ValueError(f"a key of pseudonyms has at least {KEY_BYTES} bytes")
        self._key = key
        self._of = lru_cache(_REMEMBERED)(self._make)

    def of(self, subject: str) -> str:
        """Return the pseudonym of whom the identity provider calls so."""
        return self._of(subject)

    def _make(self, subject: str) -> str:
        # A subject that is no text is somebody, too.
        reported = subject.encode(errors="surrogatepass")
        return hmac.digest(self._key, _PURPOSE + reported, "sha256")[:16].hex()
