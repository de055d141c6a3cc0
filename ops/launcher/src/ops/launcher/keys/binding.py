"""Binding of a key store to a log, at each start and when an operator accepts a restored log."""

import asyncio
import os
from collections.abc import Callable
from functools import partial

from pydantic import SecretStr, ValidationError

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.log_binding import Comparison, verify
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.settings import PREFIX, explained
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.secrets import ensure_key_encryption_key
from ops.launcher.keys.inventory import key_settings


def bind_key_store(
    owner_dsn: str, data: DataFolder | None, named: str | None = None, *, keys_are_lost: bool = False
) -> Comparison | None:
    """Compare the key store with a log and bind it; create it if the log needs no key yet.

    Args:
        owner_dsn: DSN of the owner of the log's database.
        data: the instance's data folder, if there is one.
        named: the services' setting of the store; None: the environment's, or the data folder's store.
        keys_are_lost: see `verify`.

    Returns:
        The comparison; None: there is no store, because nothing is to be encrypted.
    """
    named = named or os.environ.get(f"{PREFIX}KEYS", "")
    create: Callable[[], None] = lambda: None  # noqa: E731 - operators create stores outside the data folder
    try:
        if data is not None and named in ("", str(data.keys)):
            settings = key_settings(data.keys)
            create = partial(ensure_key_encryption_key, data, keys_are_lost=keys_are_lost)
        else:
            settings = KeySettings(keys=SecretStr(named))
        return asyncio.run(_bind(owner_dsn, settings, create, keys_are_lost=keys_are_lost))
    except (KeysUnavailable, ValidationError) as error:
        raise LauncherError(explained(error) if isinstance(error, ValidationError) else str(error)) from None


async def _bind(
    owner_dsn: str, settings: KeySettings, create: Callable[[], None], *, keys_are_lost: bool
) -> Comparison | None:
    async with open_configured_store(settings) as store:
        if store is None:
            return None
        return await verify(store, owner_dsn, create=create, keys_are_lost=keys_are_lost)
