"""Keys as they are kept: wrapped by a key-encryption key, of which there is one for each epoch."""

import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from ops.base.sealing.keys import CannotOpen, Key

_NAME: Final = re.compile(r"epoch-([1-9][0-9]{0,8})\.key")
_BYTES: Final = 32


class KeysUnavailable(Exception):
    """Keys cannot be had now: nothing can be sealed, and nothing opened that was not opened a moment ago."""


class Wrapped(NamedTuple):
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
            epochs = [
                int(match[1]) for file in self.folder.iterdir() if (match := _NAME.fullmatch(file.name))
            ]
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

    def wrap(self, keys: Iterable[Key]) -> list[Wrapped]:
        """Return keys as they are kept.

        Raises:
            KeysUnavailable: there is nothing to wrap them with.
        """
        epoch = self.newest
        wrapping = self._of(epoch)
        return [Wrapped(key.id, epoch, wrapping.seal(key.secret, key.id.encode())) for key in keys]

    def unwrap(self, wrapped: Wrapped) -> Key:
        """Return a key that was kept.

        Raises:
            KeysUnavailable: what wraps it is not here, or it was changed.
        """
        try:
            return Key(wrapped.id, self._of(wrapped.epoch).open(wrapped.secret, wrapped.id.encode()))
        except CannotOpen:
            raise KeysUnavailable(f"key {wrapped.id} is not what epoch {wrapped.epoch} has wrapped") from None

    def _of(self, epoch: int) -> Key:
        if epoch not in self._known:
            path = self.folder / f"epoch-{epoch}.key"
            try:
                secret = bytes.fromhex(path.read_text(encoding="ascii"))
            except (OSError, ValueError) as error:
                raise KeysUnavailable(f"{path}: {getattr(error, 'strerror', 'no key in hex')}") from None
            if len(secret) != _BYTES:
                raise KeysUnavailable(f"{path} holds no key of {_BYTES} bytes")
            self._known[epoch] = Key(f"epoch-{epoch}", secret)
        return self._known[epoch]


def new_key_encryption_key() -> str:
    """Make the text of a file of `KeyEncryptionKeys`."""
    return secrets.token_hex(_BYTES)
