"""Which keys a log is sealed under, and which of them a key store has."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.encryption.states import ENCRYPTED_PREFIX, KEY_ID

_ID: Final = "convert_from(substring(state FROM %(at)s FOR 22), 'UTF8')"
_SEALED: Final = "substring(state FOR %(length)s) = %(begins)s"
_ALL: Final = f"SELECT {_ID}, count(*) FROM log.events WHERE {_SEALED} GROUP BY 1"  # noqa: S608 - our own
_PARAMETERS: Final = {"begins": ENCRYPTED_PREFIX, "length": len(ENCRYPTED_PREFIX), "at": KEY_ID.start + 1}
_AT_ONCE: Final = 10_000


class Held(NamedTuple):
    """What a key store has of a log's keys."""

    keys: int
    """Under which something is sealed."""
    events: int
    """That are sealed, as far as they were counted."""
    erased: int
    """Keys that were destroyed."""
    unknown: frozenset[str]
    """Keys that it never had."""
    lost_events: int
    """That are sealed under those."""


def keys_of_log(connection: psycopg.Connection) -> dict[str, int]:
    """Return how many events are sealed under each key."""
    return dict(connection.execute(_ALL.encode(), _PARAMETERS).fetchall())


def key_settings(folder: Path | None) -> KeySettings:
    """Return the settings of an instance on one machine, whatever the environment says; None: no keys."""
    return KeySettings(keys=SecretStr(str(folder or "")), keys_password_file=None, key_encryption_keys=None)


def held(keys: dict[str, int], settings: KeySettings) -> Held:
    """Tell which keys a store has.

    Args:
        keys: how many events are sealed under each.
        settings: where the store is, if there is one.

    Raises:
        KeysUnavailable: it does not answer, or its key-encryption key is not there.
    """
    there = asyncio.run(_states(keys, settings))
    unknown = frozenset(keys) - there.keys()
    return Held(
        keys=len(keys),
        events=sum(keys.values()),
        erased=sum(not is_whole for is_whole in there.values()),
        unknown=unknown,
        lost_events=sum(keys[key_id] for key_id in unknown),
    )


async def _states(ids: Iterable[str], settings: KeySettings) -> dict[str, bool]:
    """By id, whether a key can be had; it cannot where it was erased."""
    async with open_configured_store(settings) as store:
        if store is None:
            return {}
        await store.check()
        found: dict[str, bool] = {}
        for some in _batches(list(ids)):
            found |= {key_id: key is not None for key_id, key in (await store.fetch(some)).items()}
        return found


def _batches(ids: list[str]) -> Iterable[list[str]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
