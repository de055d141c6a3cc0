"""Settings of the key store, and opening the configured one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys
from ops.base.encryption.stores import KeyStore
from ops.base.settings import PREFIX, Settings, with_password


class KeySettings(Settings):
    """The environment of a process that encrypts or decrypts."""

    keys: SecretStr = Field(
        default=SecretStr(""),
        description="the key store: a folder, or the DSN of a database for keys only",
    )
    keys_password_file: Path | None = Field(
        default=None, description="file with the role's password, where the DSN holds none"
    )
    key_encryption_keys: Path | None = Field(
        default=None, description="folder of the key-encryption keys, if that is another one"
    )

    @property
    def where(self) -> str:
        """The folder or DSN; empty: no store is configured."""
        return self.keys.get_secret_value()

    @property
    def in_database(self) -> bool:
        """Whether the store is a database."""
        return "://" in self.where

    @property
    def wrapping(self) -> KeyEncryptionKeys:
        """The key-encryption keys."""
        return KeyEncryptionKeys(self.key_encryption_keys or Path(self.where))

    @property
    def dsn(self) -> SecretStr:
        """The database's DSN, with the password.

        Raises:
            ValueError: the password cannot be read, or the DSN is malformed; the text quotes neither.
        """
        return with_password(self.keys, self.keys_password_file, "KEYS", "KEYS_PASSWORD_FILE")

    @model_validator(mode="after")
    def _check_database(self) -> Self:
        if self.in_database:
            if self.key_encryption_keys is None:
                raise ValueError(
                    f"{PREFIX}KEY_ENCRYPTION_KEYS: set their folder; a database of keys contains none"
                )
            _ = self.dsn
        return self


def require_key_store() -> None:
    """Check that a key store is configured.

    Raises:
        SystemExit: none is.
    """
    if not KeySettings.load().where:
        raise SystemExit(f"{PREFIX}KEYS: set the key store, with whose keys personal data is encrypted")


@asynccontextmanager
async def open_configured_store(settings: KeySettings | None = None) -> AsyncIterator[KeyStore | None]:
    """Open the store of some settings, or of the environment; None if none is configured.

    Raises:
        SystemExit: the environment is malformed; the text quotes no value.
    """
    settings = settings or KeySettings.load()
    # Imported here, because most processes need one of the two databases at most.
    if not settings.where:
        yield None
    elif settings.in_database:
        from ops.base.encryption.postgresql import open_central_store  # noqa: PLC0415

        async with open_central_store(settings.dsn.get_secret_value(), settings.wrapping) as store:
            yield store
    else:
        from ops.base.encryption.sqlite import local_store  # noqa: PLC0415

        with closing(local_store(Path(settings.where), settings.wrapping)) as store:
            yield store
