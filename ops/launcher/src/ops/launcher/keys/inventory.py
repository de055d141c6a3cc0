"""Inventory of the keys that a log is encrypted with, and of those that a key store has."""

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.encryption.states import ENCRYPTED_PREFIX, KEY_ID

_KEY: Final = "convert_from(substring(state FROM %(at)s FOR 22), 'UTF8')"
_IS_ENCRYPTED: Final = "substring(state FOR %(length)s) = %(begins)s"
_COUNT: Final = f"SELECT {_KEY}, count(*) FROM log.events WHERE {_IS_ENCRYPTED} GROUP BY 1"  # noqa: S608
_PARAMETERS: Final = {"begins": ENCRYPTED_PREFIX, "length": len(ENCRYPTED_PREFIX), "at": KEY_ID.start + 1}
_BATCH: Final = 10_000


class KeyInventory(NamedTuple):
    """Which of a log's keys a store has.

    Attributes:
        keys: the number of keys with which events are encrypted.
        events: the number of encrypted events.
        erased: the number of destroyed keys.
        unknown: keys that the store has never had.
        lost_events: the number of events encrypted with these.
    """

    keys: int
    events: int
    erased: int
    unknown: frozenset[str]
    lost_events: int


def events_by_key(connection: psycopg.Connection) -> dict[str, int]:
    """Return the number of events encrypted with each key."""
    return dict(connection.execute(_COUNT.encode(), _PARAMETERS).fetchall())


def key_settings(folder: Path | None) -> KeySettings:
    """Return the settings of a local key store, whatever the environment says; None: there is no store."""
    return KeySettings(keys=SecretStr(str(folder or "")), keys_password_file=None, key_encryption_keys=None)


def take_inventory(events: dict[str, int], settings: KeySettings) -> KeyInventory:
    """Look up keys in a store.

    Args:
        events: the number of encrypted events by key.

    Raises:
        KeysUnavailable: the store does not answer, or its key-encryption key is missing.
    """
    exists = asyncio.run(_look_up([*events], settings))
    unknown = frozenset(events) - exists.keys()
    return KeyInventory(
        keys=len(events),
        events=sum(events.values()),
        erased=sum(not one for one in exists.values()),
        unknown=unknown,
        lost_events=sum(events[key_id] for key_id in unknown),
    )


async def _look_up(ids: list[str], settings: KeySettings) -> dict[str, bool]:
    """Return whether each known key exists, or was erased."""
    async with open_configured_store(settings) as store:
        if store is None:
            return {}
        await store.check()
        found: dict[str, bool] = {}
        for start in range(0, len(ids), _BATCH):
            keys = await store.fetch(ids[start : start + _BATCH])
            found |= {key_id: key is not None for key_id, key in keys.items()}
        return found
