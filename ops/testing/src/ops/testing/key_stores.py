"""Key stores of one's own, which can be put away for a while."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import SqliteKeys
from ops.base.encryption.stores import KeyStore
from ops.testing.key_places import create_local_store


class OwnKeyStore(KeyStore):
    """A key store in a folder of one's own.

    Attributes:
        away: set while it shall not answer.
        fetched: how many keys were asked for.
    """

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """Return the store of a folder, with the first key-encryption key if it has none."""
        if not folder.exists() or not any(folder.glob("epoch-*.key")):
            create_local_store(folder)
        return cls(SqliteKeys(folder), KeyEncryptionKeys(folder))

    away = False
    fetched = 0

    async def issue(self, count: int) -> list[Key]:
        """See `KeyStore.issue`."""
        self._answer()
        return await super().issue(count)

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """See `KeyStore.fetch`."""
        self._answer()
        self.fetched += len(ids)
        return await super().fetch(ids)

    async def erase(self, ids: Collection[str]) -> None:
        """See `KeyStore.erase`."""
        self._answer()
        await super().erase(ids)

    def _answer(self) -> None:
        if self.away:
            raise KeysUnavailable("the key store was put away")
