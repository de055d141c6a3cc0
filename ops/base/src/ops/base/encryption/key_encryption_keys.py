"""Key-encryption keys, which wrap the stored keys: one for each epoch."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ops.base.encryption.epochs import KEY_BYTES, epochs_in, path_of
from ops.base.encryption.keys import DecryptionError, Key


class KeysUnavailable(Exception):
    """Keys cannot be fetched or issued now: only data whose key is cached can be encrypted or decrypted."""


class NoKeyStore(KeysUnavailable):
    """The store's file is missing or empty."""


class EpochRetired(KeysUnavailable):
    """A newer epoch has replaced the one that wraps these keys."""


class WrappedKey(NamedTuple):
    """A key as the store has it: encrypted with the key-encryption key of an epoch."""

    id: str
    epoch: int
    secret: bytes


class KeyEncryptionKeys:
    """The key-encryption keys of a folder: a file `epoch-N.key` for each epoch, 32 bytes in hex.

    Files are read when they are needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cached: dict[int, Key] = {}

    @property
    def newest(self) -> int:
        """The epoch under which keys are wrapped now; raises `KeysUnavailable`."""
        try:
            epochs = epochs_in(self.folder)
        except OSError as error:
            raise KeysUnavailable(f"{self.folder}: {error.strerror}") from None
        if not epochs:
            raise KeysUnavailable(f"{self.folder} holds no key-encryption key")
        return max(epochs)

    def check(self) -> None:
        """Check that keys can be wrapped; raises `KeysUnavailable`."""
        self._load(self.newest)

    def clear(self) -> None:
        """Drop them from memory: their files may have been destroyed."""
        self._cached = {}

    def wrap(self, keys: Iterable[Key], epoch: int | None = None) -> list[WrappedKey]:
        """Wrap keys under an epoch, by default the newest. Raises `KeysUnavailable`."""
        epoch = epoch or self.newest
        wrapping = self._load(epoch)
        return [WrappedKey(key.id, epoch, wrapping.encrypt(key.secret, key.id.encode())) for key in keys]

    def unwrap_all(self, rows: Iterable[tuple[str, int | None, bytes | None]]) -> dict[str, Key | None]:
        """Return keys by id; None: the key was erased.

        Raises:
            KeysUnavailable: a key-encryption key is missing, or a wrapped key was changed.
        """
        return {
            key_id: None if epoch is None or secret is None else self._unwrap(key_id, epoch, secret)
            for key_id, epoch, secret in rows
        }

    def _unwrap(self, key_id: str, epoch: int, secret: bytes) -> Key:
        try:
            return Key(key_id, self._load(epoch).decrypt(secret, key_id.encode()))
        except DecryptionError:
            raise KeysUnavailable(f"key {key_id} is not what epoch {epoch} has wrapped") from None

    def _load(self, epoch: int) -> Key:
        if epoch not in self._cached:
            path = path_of(self.folder, epoch)
            try:
                secret = bytes.fromhex(path.read_text(encoding="ascii"))
            except (OSError, ValueError) as error:
                raise KeysUnavailable(f"{path}: {getattr(error, 'strerror', 'no key in hex')}") from None
            if len(secret) != KEY_BYTES:
                raise KeysUnavailable(f"{path} holds no key of {KEY_BYTES} bytes")
            self._cached[epoch] = Key(f"epoch-{epoch}", secret)
        return self._cached[epoch]
