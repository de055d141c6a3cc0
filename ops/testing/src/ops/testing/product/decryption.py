"""Decryption of a running product's events and rows with all of its keys."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_texts, row_context
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.encryption.states import decrypt_state, encrypt_state, key_id_of, plaintext_part


class Decrypter:
    """Decrypts events and rows of read tables; data whose key was destroyed stays encrypted."""

    def __init__(self, settings: KeySettings) -> None:
        self._settings = settings
        self._keys: dict[str, Key | None] = {}

    def load(self, ids: Iterable[str | None]) -> None:
        """Fetch keys in one batch, which is faster than one by one."""
        missing = {key_id for key_id in ids if key_id is not None} - self._keys.keys()
        if missing:
            with ThreadPoolExecutor(1) as thread:  # the caller may run in an event loop
                found = thread.submit(asyncio.run, self._fetch(missing)).result()
            self._keys.update({key_id: found.get(key_id) for key_id in missing})

    def state(self, state: bytes, stream: str, version: int) -> bytes:
        """Return an event's decrypted state."""
        key = self._key(key_id_of(state))
        return state if key is None else decrypt_state(state, stream, version, key)

    def encrypted_like(self, state: bytes, text: bytes, stream: str, version: int) -> bytes:
        """Return the state of an event of another stream, encrypted if a given state is, with its key.

        Args:
            state: the given state.
            text: the new state's plaintext.
            stream: the new event's stream.
            version: the new event's version.
        """
        key = self._key(key_id_of(state))
        if key is None:
            return text
        shown = {
            name: value
            for name, value in json.loads(plaintext_part(state)).items()
            if name not in {"sealed", "key"}
        }
        return encrypt_state(json.dumps(shown).encode(), text, stream, version, key)

    def texts(
        self, table: str, stream: str, version: int, key_id: str | None, ciphertext: bytes | None
    ) -> list[bytes] | None:
        """Return the texts of a row's ciphertext; None if it has none or its key was destroyed."""
        key = self._key(key_id)
        if key is None or ciphertext is None:
            return None
        return decrypt_texts(key, row_context(table, stream, version), ciphertext)

    def _key(self, key_id: str | None) -> Key | None:
        if key_id is None:
            return None
        self.load([key_id])
        return self._keys[key_id]

    async def _fetch(self, ids: set[str]) -> Mapping[str, Key | None]:
        async with open_configured_store(self._settings) as store:
            return {} if store is None else await store.fetch(ids)
