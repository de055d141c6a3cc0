"""Encryption of the search terms in the access log, which may be anybody's name.

A search term is not known to belong to a person, so each process encrypts with a key per minute. An erasure
destroys the keys of the minutes with a search for the person.
"""

import time
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS
from ops.base.encryption.keys import DecryptionError

SEARCH_PARAMETER: Final = "q"
"""The query parameter with the search term."""
_KEY: Final = "key"
_CIPHERTEXT: Final = "ciphertext"


class SearchEncryption:
    """Encrypts search terms with the current minute's key."""

    def __init__(self) -> None:
        self._key_id = ""
        self._since = -CACHE_SECONDS

    async def encrypt(self, texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return the encrypted search terms as the access log stores them, by request.

        Raises:
            KeysUnavailable: no key is available now.
        """
        await KEYS.load([self._key_id] if self._key_id else [])
        key = KEYS.get(self._key_id)
        if key is None or time.monotonic() - self._since >= CACHE_SECONDS:
            key = await KEYS.issue()
            self._key_id, self._since = key.id, time.monotonic()
        ciphertexts = {
            request: key.encrypt(text.encode(), _context(request)) for request, text in texts.items()
        }
        return {
            request: {_KEY: key.id, _CIPHERTEXT: b2a_base64(ciphertext, newline=False).decode()}
            for request, ciphertext in ciphertexts.items()
        }


def search_key_id(stored: Mapping[str, Any]) -> str:
    """Return the id of a stored search's key."""
    return str(stored.get(_KEY))


async def load_search_keys(stored: Iterable[Mapping[str, Any]]) -> None:
    """Load the keys of stored searches into the key cache; raises `KeysUnavailable`."""
    await KEYS.load({search_key_id(one) for one in stored})


def decrypt_search(stored: Mapping[str, Any], request: str) -> str | None:
    """Return the search term of a request with a cached key; None if the key is erased.

    Raises:
        DecryptionError: the ciphertext was changed.
    """
    key = KEYS.get(search_key_id(stored))
    if key is None:
        return None
    try:
        ciphertext = a2b_base64(stored[_CIPHERTEXT], strict_mode=True)
    except (LookupError, ValueError):
        raise DecryptionError(f"the search of request {request} has no ciphertext") from None
    return key.decrypt(ciphertext, _context(request)).decode()


def _context(request: str) -> bytes:
    return b"search|" + request.encode()
