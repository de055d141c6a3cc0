"""Keys as they are kept: wrapped by a key-encryption key, of which there is one for each epoch."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ops.base.encryption.epochs import KEY_BYTES, epochs_in, path_of
from ops.base.encryption.keys import DecryptionError, Key


class KeysUnavailable(Exception):
    """Keys cannot be had now: nothing can be sealed, and nothing opened that was not opened a moment ago."""


class NoKeyStore(KeysUnavailable):
    """The store's file is missing or empty."""


class EpochRetired(KeysUnavailable):
    """What keys were wrapped with is to be used no more; there is a newer one."""


class WrappedKey(NamedTuple):
    """A key as it is kept."""

    id: str
    epoch: int
    """Of the key-encryption key that wraps it."""
    secret: bytes


class KeyEncryptionKeys:
    """The key-encryption keys of a folder: a file `epoch-N.key` for each epoch, 32 bytes in hex.

    Attributes:
        folder: where they are.
    """

    def __init__(self, folder: Path) -> None:
        """Describe them.

        Args:
            folder: where they are; its files are read when they are needed.
        """
        self.folder = folder
        self._known: dict[int, Key] = {}

    @property
    def newest(self) -> int:
        """The epoch under which keys are wrapped now.

        Raises:
            KeysUnavailable: there is none.
        """
        try:
            epochs = epochs_in(self.folder)
        except OSError as error:
            raise KeysUnavailable(f"{self.folder}: {error.strerror}") from None
        if not epochs:
            raise KeysUnavailable(f"{self.folder} holds no key-encryption key")
        return max(epochs)

    def check(self) -> None:
        """See that keys can be wrapped.

        Raises:
            KeysUnavailable: the newest key-encryption key is not here, or is none.
        """
        self._of(self.newest)

    def clear(self) -> None:
        """Hold none of them in memory: they may have been destroyed."""
        self._known = {}

    def wrap(self, keys: Iterable[Key], epoch: int | None = None) -> list[WrappedKey]:
        """Return keys as they are kept.

        Args:
            keys: the keys.
            epoch: under which; None: the newest.

        Raises:
            KeysUnavailable: there is nothing to wrap them with.
        """
        epoch = epoch or self.newest
        wrapping = self._of(epoch)
        return [WrappedKey(key.id, epoch, wrapping.encrypt(key.secret, key.id.encode())) for key in keys]

    def unwrap_all(self, rows: Iterable[tuple[str, int | None, bytes | None]]) -> dict[str, Key | None]:
        """Return keys that were kept, by their ids; None: it was erased.

        Args:
            rows: id, epoch and secret of each.

        Raises:
            KeysUnavailable: what wraps one is not here, or it was changed.
        """
        return {
            key_id: None if epoch is None or secret is None else self._unwrapped(key_id, epoch, secret)
            for key_id, epoch, secret in rows
        }

    def _unwrapped(self, key_id: str, epoch: int, secret: bytes) -> Key:
        try:
            return Key(key_id, self._of(epoch).decrypt(secret, key_id.encode()))
        except DecryptionError:
            raise KeysUnavailable(f"key {key_id} is not what epoch {epoch} has wrapped") from None

    def _of(self, epoch: int) -> Key:
        known = self._known.get(epoch)
        if known is None:
            path = path_of(self.folder, epoch)
            try:
                secret = bytes.fromhex(path.read_text(encoding="ascii"))
            except (OSError, ValueError) as error:
                raise KeysUnavailable(f"{path}: {getattr(error, 'strerror', 'no key in hex')}") from None
            if len(secret) != KEY_BYTES:
                raise KeysUnavailable(f"{path} holds no key of {KEY_BYTES} bytes")
            known = self._known[epoch] = Key(f"epoch-{epoch}", secret)
        return known
