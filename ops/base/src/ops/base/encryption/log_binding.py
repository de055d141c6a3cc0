"""Check that a key store is the one that a log's personal data is encrypted with.

A store records each log that it serves, with the position up to which it was seen to hold all keys. A store
that was emptied, another instance's, or an older copy lacks the record, or keys of later events. It must not
issue keys, for what is encrypted with them could not be read once the real store is back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import psycopg

from ops.base.database.connection import BoundedConnection, connect
from ops.base.encryption.key_encryption_keys import KeysUnavailable, NoKeyStore
from ops.base.encryption.keys import Key
from ops.base.encryption.stores import KeyStore

_HEAD: Final = "SELECT log_id, position FROM log.head"
_KEYS: Final = "SELECT key_id, events, destroyed FROM log.keys_after(%s)"
_BATCH: Final = 10_000
WHAT_TO_DO: Final = (
    "Nothing was changed. Put the key store back (mount its volume, or restore its backup:"
    " ops/docs/backups.md#keys). Only if these keys are lost for good: restore accept --keys-lost"
)


class WrongKeyStore(KeysUnavailable):
    """The store lacks keys that the log needs, or holds keys that were destroyed."""


@dataclass(frozen=True)
class Comparison:
    """A key store compared with a log.

    Attributes:
        position: the log's last position.
        checked: number of keys that were looked up.
        lost: keys that the store never had, with the number of events that are encrypted with each.
        revived: keys in the store that an erasure has destroyed.
        absent: why the store cannot be opened; None: it was opened.
    """

    log_id: str
    position: int
    checked: int
    lost: dict[str, int]
    revived: frozenset[str]
    absent: str | None = None

    def require_match(self) -> None:
        """Raise `WrongKeyStore` unless the store is the log's."""
        if self.absent and self.lost:
            raise WrongKeyStore(f"{self.absent}. {WHAT_TO_DO}")
        if self.revived:
            raise WrongKeyStore(
                f"the key store holds {len(self.revived)} keys that erasures have destroyed:"
                f" it is an older copy. {WHAT_TO_DO}"
            )
        if self.lost:
            raise WrongKeyStore(
                f"the key store lacks {len(self.lost)} of {self.checked} keys, with which"
                f" {sum(self.lost.values())} events of the log are encrypted: it was emptied,"
                f" is another instance's, or is an older copy. {WHAT_TO_DO}"
            )


async def compare(store: KeyStore, connection: BoundedConnection) -> Comparison:
    """Compare a key store with the log of a connection, which has a service's role.

    Raises:
        KeysUnavailable: the store cannot be used; the text says what to do.
    """
    absent, position = None, None
    found: dict[str, Key | None] = {}
    ((log_id, head),) = await (await connection.execute(_HEAD)).fetchall()
    try:
        try:
            position = await store.verified_position(log_id)
        except NoKeyStore as error:
            absent = str(error)
        # A store holds a key before the first event that needs it is appended, so the log is read first.
        rows = await (await connection.execute(_KEYS, [position or 0])).fetchall()
        needed = {key_id: int(events) for key_id, events, is_destroyed in rows if not is_destroyed}
        destroyed = {key_id for key_id, _, is_destroyed in rows if is_destroyed}
        ids = [] if absent else sorted(needed.keys() | destroyed)
        for start in range(0, len(ids), _BATCH):
            found.update(await store.fetch(ids[start : start + _BATCH]))
    except KeysUnavailable as error:
        raise KeysUnavailable(f"{error}. {WHAT_TO_DO}") from None
    lost = {key_id: events for key_id, events in needed.items() if key_id not in found}
    revived = frozenset(key_id for key_id in destroyed if found.get(key_id) is not None)
    return Comparison(log_id, head, len(needed), lost, revived, absent)


async def verify(
    store: KeyStore, dsn: str, *, create: Callable[[], None] = lambda: None, keys_are_lost: bool = False
) -> Comparison:
    """Bind a key store to the log in a database, so that it issues keys for it.

    Args:
        store: the key store; it is created where the log needs no key yet.
        dsn: of the log's database, as a service's role.
        keys_are_lost: bind it whatever it lacks: an operator's decision. Keys that it lacks, and those that
            erasures have destroyed, count as erased in it from then on.

    Raises:
        KeysUnavailable: the store, or the log, cannot be read now.
    """
    try:
        async with await connect(dsn, autocommit=True) as connection:
            found = await compare(store, connection)
    except psycopg.Error as error:
        raise KeysUnavailable(f"the log cannot be read: {type(error).__name__}") from None
    if not keys_are_lost:
        found.require_match()
    create()
    await store.bind(found.log_id, found.position)
    if given_up := found.lost.keys() | found.revived:
        await store.erase(given_up)
    if found.revived:
        await store.rotate()
    return found
