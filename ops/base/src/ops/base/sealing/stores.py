"""Where keys are kept: outside of the database that they open, of its write-ahead log and of its backups."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.sealing.keys import Key
from ops.base.sealing.wrapping import KeyEncryptionKeys
from ops.base.settings import explained


class KeyStore(Protocol):
    """Keeps keys. What it has erased, it never gives again."""

    async def issue(self, count: int) -> list[Key]:
        """Make keys that nobody has, and return them when they will be there after a power failure.

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


class KeySettings(BaseSettings):
    """The environment of whatever seals or opens."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    keys: SecretStr = Field(
        default=SecretStr(""),
        description="where keys are kept: a folder, or the DSN of a database that keeps nothing else; empty:"
        " nothing is sealed, and of what is sealed nothing opened",
    )
    keys_password_file: Path | None = Field(
        default=None, description="file with the role's password, where the DSN holds none"
    )
    key_encryption_keys: Path | None = Field(
        default=None, description="folder of the key-encryption keys, if that is another one"
    )


@asynccontextmanager
async def configured_store() -> AsyncIterator[KeyStore | None]:
    """Open the key store that the environment names; None where it names none.

    Raises:
        SystemExit: the environment is malformed; the text quotes no value.
    """
    try:
        settings = KeySettings()
    except ValidationError as error:
        raise SystemExit(explained(error)) from None
    where = settings.keys.get_secret_value()
    if not where:
        yield None
        return
    # Here, for not all who could seal have one.
    from ops.base.sealing.local import LocalKeyStore  # noqa: PLC0415

    folder = Path(where)
    with LocalKeyStore(folder, KeyEncryptionKeys(settings.key_encryption_keys or folder)) as store:
        yield store
