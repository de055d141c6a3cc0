"""A key store that can be made unavailable."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import SqliteKeys
from ops.base.encryption.stores import KeyStore
from ops.testing.key_store_locations import create_local_store


class OwnKeyStore(KeyStore):
    """A local key store of one test.

    Attributes:
        away: whether the store is unavailable.
        fetched: the number of requested keys.
    """

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """Return the store of a folder, which is created if necessary."""
        if not folder.exists() or not any(folder.glob("epoch-*.key")):
            create_local_store(folder)
        return cls(SqliteKeys(folder), KeyEncryptionKeys(folder))

    away = False
    fetched = 0

    async def issue(self, count: int) -> list[Key]:
        self._check_available()
        return await super().issue(count)

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        self._check_available()
        self.fetched += len(ids)
        return await super().fetch(ids)

    async def erase(self, ids: Collection[str]) -> None:
        self._check_available()
        await super().erase(ids)

    def _check_available(self) -> None:
        if self.away:
            raise KeysUnavailable("the key store is unavailable")
