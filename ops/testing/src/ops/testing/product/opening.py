"""What a running product has sealed, opened with all of its keys, as simply as can be."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_texts, row_context
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.encryption.states import decrypt_state, encrypt_state, key_id_of, plaintext_part


class Opener:
    """Opens events and rows of read tables; what nobody has the key of stays as it is."""

    def __init__(self, settings: KeySettings) -> None:
        """Describe it.

        Args:
            settings: where the product's keys are.
        """
        self._settings = settings
        self._keys: dict[str, Key | None] = {}

    def load(self, ids: Iterable[str | None]) -> None:
        """Fetch keys together, which is quicker than one by one."""
        missing = {key_id for key_id in ids if key_id is not None} - self._keys.keys()
        if missing:
            with ThreadPoolExecutor(1) as thread:  # whoever asks may be in an event loop
                found = thread.submit(asyncio.run, self._fetch(missing)).result()
            self._keys.update({key_id: found.get(key_id) for key_id in missing})

    def state(self, state: bytes, stream: str, version: int) -> bytes:
        """Return an event's state in the clear."""
        key = self._key(key_id_of(state))
        return state if key is None else decrypt_state(state, stream, version, key)

    def state_of_another(self, state: bytes, text: bytes, stream: str, version: int) -> bytes:
        """Return a state that is like another one: under the same key, if that is sealed.

        Args:
            state: the other one.
            text: it, in the clear.
            stream: whose it is to be.
            version: and which of its events'.
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
        self, table: str, stream: str, version: int, key_id: str | None, box: bytes | None
    ) -> list[bytes] | None:
        """Return the texts in a row's box; None where it has none, or nobody has its key."""
        key = self._key(key_id)
        return (
            None
            if key is None or box is None
            else decrypt_texts(key, row_context(table, stream, version), box)
        )

    def _key(self, key_id: str | None) -> Key | None:
        if key_id is None:
            return None
        self.load([key_id])
        return self._keys[key_id]

    async def _fetch(self, ids: set[str]) -> Mapping[str, Key | None]:
        async with open_configured_store(self._settings) as store:
            return {} if store is None else await store.fetch(ids)
