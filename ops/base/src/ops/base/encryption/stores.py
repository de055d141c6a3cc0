"""Where keys are kept: outside of the database that they open, of its write-ahead log and of its backups."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.encryption.keys import Key
from ops.base.encryption.rotation import Rotation
from ops.base.encryption.wrapping import KeyEncryptionKeys
from ops.base.settings import PREFIX, explained, with_password


class KeyStore(Protocol):
    """Keeps keys. What it has erased, it never gives again."""

    async def issue(self, count: int) -> list[Key]:
        """Make keys that nobody has, and return them when they will be there after a power failure.

        Raises:
            KeysUnavailable: that is not possible now, or the store is not bound to a log.
        """
        ...

    async def verified_position(self, log_id: str) -> int | None:
        """Check the store, and return the log position up to which it was seen to hold all keys; None: never.

        Raises:
            KeysUnavailable: the store is damaged, or a key-encryption key is not the one that was used.
        """
        ...

    async def bind(self, log_id: str, position: int) -> None:
        """Record that the store holds all keys of a log up to a position, and issue keys for that log.

        Raises:
            KeysUnavailable: that is not possible now.
        """
        ...

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """Return keys by their ids: None for those that were erased, and nothing for those it never had.

        Raises:
            KeysUnavailable: that is not possible now.
        """
        ...

    async def erase(self, ids: Collection[str]) -> None:
        """Destroy keys, for ever; those that are erased already stay so.

        Raises:
            KeysUnavailable: nobody knows whether they are.
        """
        ...

    async def rotate(self) -> Rotation:
        """Wrap all keys anew, and destroy what wrapped them before; see `ops.base.encryption.rotation`.

        Where the key-encryption keys cannot be written nothing is done, and it says so.

        Raises:
            KeysUnavailable: that is not possible now; some of it may be done.
        """
        ...

    def forget(self) -> None:
        """Hold no key-encryption key in memory."""
        ...

    async def check(self) -> None:
        """See that keys can be issued and fetched.

        Raises:
            KeysUnavailable: they cannot be had now.
        """
        ...


NOTHING_SEALED: Final = "none"
"""In the place of a store: nothing is to be sealed."""


class KeySettings(BaseSettings):
    """The environment of whatever seals or opens."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    keys: SecretStr = Field(
        default=SecretStr(""),
        description="where keys are kept: a folder, or the DSN of a database that keeps nothing else; `none`:"
        " nothing is sealed; without it, of what is sealed nothing is opened",
    )
    keys_password_file: Path | None = Field(
        default=None, description="file with the role's password, where the DSN holds none"
    )
    key_encryption_keys: Path | None = Field(
        default=None, description="folder of the key-encryption keys, if that is another one"
    )

    @classmethod
    def load(cls) -> Self:
        """Read them from the environment.

        Raises:
            SystemExit: it is malformed; the text quotes no value.
        """
        try:
            return cls()
        except ValidationError as error:
            raise SystemExit(explained(error)) from None

    @property
    def where(self) -> str:
        """Where keys are kept; empty: nowhere."""
        where = self.keys.get_secret_value()
        return "" if where == NOTHING_SEALED else where

    @property
    def in_database(self) -> bool:
        """Whether they are in a database."""
        return "://" in self.where

    @property
    def wrapping(self) -> KeyEncryptionKeys:
        """What keys are wrapped with."""
        return KeyEncryptionKeys(self.key_encryption_keys or Path(self.where))

    @property
    def dsn(self) -> SecretStr:
        """The database's, with the password.

        Raises:
            ValueError: that cannot be read, or the DSN is none; the text quotes neither.
        """
        return with_password(self.keys, self.keys_password_file, "KEYS", "KEYS_PASSWORD_FILE")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.in_database:
            if self.key_encryption_keys is None:
                raise ValueError(f"{PREFIX}KEY_ENCRYPTION_KEYS: a database of keys holds none of those")
            _ = self.dsn
        return self


def require_decision() -> None:
    """See that somebody has said where keys are kept, or that nothing is to be sealed.

    Raises:
        SystemExit: nobody has: what is written would be in the clear, and stay so, for a forgotten setting.
    """
    if not KeySettings.load().keys.get_secret_value():
        raise SystemExit(
            f"{PREFIX}KEYS: say where the keys are kept that people's data is sealed with,"
            f" or `{NOTHING_SEALED}`: nothing is to be sealed"
        )


@asynccontextmanager
async def configured_store(settings: KeySettings | None = None) -> AsyncIterator[KeyStore | None]:
    """Open a key store; None where none is named.

    Args:
        settings: which; None: the one that the environment names.

    Raises:
        SystemExit: the environment is malformed; the text quotes no value.
    """
    settings = settings or KeySettings.load()
    # Here, for not all who could seal have one.
    if not settings.where:
        yield None
    elif settings.in_database:
        from ops.base.encryption.central import open_central_store  # noqa: PLC0415

        async with open_central_store(settings.dsn.get_secret_value(), settings.wrapping) as store:
            yield store
    else:
        from ops.base.encryption.local import LocalKeyStore  # noqa: PLC0415

        with LocalKeyStore(Path(settings.where), settings.wrapping) as store:
            yield store
