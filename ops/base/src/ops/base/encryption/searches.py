"""What somebody searched for, as the access log keeps it: it may be anybody's name.

Nobody knows whom a search is about, so it is sealed under the key of its minute: with somebody's key those
minutes' keys are destroyed in which somebody searched for them.
"""

import time
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS
from ops.base.encryption.keys import DecryptionError

SEARCH_PARAMETER: Final = "q"
"""The parameter that holds what is searched for."""
_KEY: Final = "key"
_BOX: Final = "box"


class SearchEncryption:
    """Seals what is searched for, in one process."""

    def __init__(self) -> None:
        self._key_id = ""
        self._since = -CACHE_SECONDS

    async def encrypt(self, texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return what is kept of searches; where nothing is sealed, it says them.

        Args:
            texts: what was searched for, by the request in which it was.

        Raises:
            KeysUnavailable: they cannot be sealed now.
        """
        if not KEYS.seals:
            return {request: {SEARCH_PARAMETER: text} for request, text in texts.items()}
        await KEYS.load([self._key_id] if self._key_id else [])
        key = KEYS.get(self._key_id)
        if key is None or time.monotonic() - self._since >= CACHE_SECONDS:
            key = await KEYS.issue()
            self._key_id, self._since = key.id, time.monotonic()
        return {
            request: {_KEY: key.id, _BOX: _text(key.encrypt(text.encode(), _place(request)))}
            for request, text in texts.items()
        }


def search_key_id(kept: Mapping[str, Any]) -> str | None:
    """Return the id of the key that a search is sealed under; None: it is in the clear."""
    return kept.get(_KEY)


async def load_search_keys(kept: Iterable[Mapping[str, Any]]) -> None:
    """Fetch what searches are sealed under.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """
    await KEYS.load({key_id for one in kept if (key_id := search_key_id(one)) is not None})


def decrypt_search(kept: Mapping[str, Any], request: str) -> str | None:
    """Return what was searched for, by a key that was loaded; None: nobody has it any more.

    Args:
        kept: see `SearchEncryption.sealed`.
        request: in which it was.

    Raises:
        DecryptionError: it was changed.
    """
    if SEARCH_PARAMETER in kept:
        return str(kept[SEARCH_PARAMETER])
    key = KEYS.get(str(search_key_id(kept)))
    if key is None:
        return None
    try:
        box = a2b_base64(kept[_BOX], strict_mode=True)
    except (LookupError, ValueError):
        raise DecryptionError(f"the search of request {request} has no box") from None
    return key.decrypt(box, _place(request)).decode()


def _place(request: str) -> bytes:
    return b"search|" + request.encode()


def _text(box: bytes) -> str:
    return b2a_base64(box, newline=False).decode()
