"""An encrypted fleet with its own key store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import psycopg

from ops.base.encryption.actors import encrypt_names
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.sqlite import local_store
from ops.base.encryption.stores import KeyStore
from ops.testing.key_store_locations import create_local_store
from projections_testing.fleet import BEGIN, METADATA, SOMEBODY_ELSE, Fleet

_RECORDS = 40


@asynccontextmanager
async def local_keys(folder: Path) -> AsyncIterator[KeyStore]:
    """Use a key store in a folder while the context lasts."""
    create_local_store(folder)
    with closing(local_store(folder)) as store:
        async with KEYS.use(store):
            yield store


async def encrypted_fleet(connection: psycopg.Connection, store: KeyStore) -> Fleet:
    """Return an empty encrypted fleet."""
    fleet = Fleet(connection)
    await encrypt(fleet, store)
    return fleet


async def encrypt(fleet: Fleet, store: KeyStore) -> None:
    """Give an empty fleet keys of a store for its records and users."""
    *keys, ashas, ingrids = await store.issue(_RECORDS + 2)
    fleet.use_for_records(keys)
    fleet.connection.execute("TRUNCATE log.actors")
    for key, metadata in ((ashas, METADATA), (ingrids, SOMEBODY_ELSE)):
        sub = metadata.actor.sub
        ciphertext = encrypt_names(key, sub, [(metadata.actor.name, BEGIN)])
        fleet.connection.execute("INSERT INTO log.actors VALUES (%s, %s, %s)", (sub, key.id, ciphertext))
        fleet.use(f"actor:{sub}", key)


async def erase(store: KeyStore, fleet: Fleet, *streams: str) -> None:
    """Erase the keys of some records, and clear the key cache."""
    await store.erase([fleet.key_ids[stream] for stream in streams])
    KEYS.clear()
