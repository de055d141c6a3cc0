"""Settings of the key store, and opening the configured one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys
from ops.base.encryption.stores import KeyStore
from ops.base.settings import PREFIX, explained, with_password

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
async def open_configured_store(settings: KeySettings | None = None) -> AsyncIterator[KeyStore | None]:
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
        from ops.base.encryption.postgresql import open_central_store  # noqa: PLC0415

        async with open_central_store(settings.dsn.get_secret_value(), settings.wrapping) as store:
            yield store
    else:
        from ops.base.encryption.sqlite import local_store  # noqa: PLC0415

        with closing(local_store(Path(settings.where), settings.wrapping)) as store:
            yield store
