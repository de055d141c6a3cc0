"""The keys that a process has in memory, for a minute at most."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Never, Protocol, TypeVar

import structlog

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.log_binding import verify
from ops.base.encryption.settings import open_configured_store
from ops.base.encryption.stores import KeyStore
from ops.base.process.tasks import running

logger = structlog.get_logger()

CACHE_SECONDS: Final = 60.0
MAX_CACHED_KEYS: Final = 50_000
"""With this many newer keys, the older ones are dropped before they expire."""
_VERIFY_SECONDS: Final = 5.0
"""Pause after a failed comparison with the log, which may read all of the log."""
_FIRST_ISSUED: Final = 8
_MOST_ISSUED: Final = 256
"""Keys are issued in batches: a commit of the store takes longer than the command that needs a key."""


class Encrypted(Protocol):
    """Data that is encrypted under a key which has to be fetched."""

    @property
    def key_id(self) -> str | None:
        """The key of the ciphertext; None for data that was written unencrypted."""
        ...

    def unlock(self, key: Key | None) -> None:
        """Accept the key; None if it was erased or never existed."""
        ...


E = TypeVar("E", bound=Encrypted)


class KeyCache:
    """Fetches and issues keys, and drops them after a minute.

    Attributes:
        missing_key: a key that was requested and that the store never had, or None. The store has lost keys,
            or belongs to another log. Erased keys do not count.
    """

    def __init__(self) -> None:
        self._store: KeyStore | None = None
        # By id; None: the key was erased. The newer generation becomes the older one, which is dropped.
        self._young: dict[str, Key | None] = {}
        self._old: dict[str, Key | None] = {}
        self._unused: deque[Key] = deque()
        self._issued = 0
        self._issuing = asyncio.Lock()
        self._dsn: str | None = None
        self._verifying = asyncio.Lock()
        self._refused: str | None = None
        self._refused_at = 0.0
        self.missing_key: str | None = None

    @asynccontextmanager
    async def use(self, store: KeyStore | None = None, *, dsn: str | None = None) -> AsyncIterator[None]:
        """Use a store within the context, and afterwards the former one.

        Args:
            store: the key store; None: the configured one.
            dsn: of the log's database: the store is not used before `verify` has compared it with the log.
        """
        async with open_configured_store() as configured:
            former = vars(self).copy()
            vars(self).update(vars(KeyCache()))
            self._store, self._dsn = store or configured, dsn
            try:
                async with running(self._expire_keys):
                    yield
            finally:
                self.clear()
                vars(self).update(former)

    @property
    def store(self) -> KeyStore:
        """The key store.

        Raises:
            KeysUnavailable: no store is configured, or it was not compared with the log yet.
        """
        if self._store is None:
            raise KeysUnavailable("no key store is configured")
        if self._dsn is not None:
            raise KeysUnavailable(self._refused or "the key store was not compared with the log yet")
        return self._store

    @property
    def is_configured(self) -> bool:
        """Whether there is a key store; without one, encrypted data reads as if its keys were erased."""
        return self._store is not None

    def clear(self) -> None:
        """Drop all keys and key-encryption keys."""
        self._young, self._old = {}, {}
        if self._store is not None:
            self._store.clear()

    def get(self, key_id: str) -> Key | None:
        """Return a loaded key; None if it was erased or not loaded."""
        return self._young.get(key_id) or self._old.get(key_id)

    async def load(self, ids: Iterable[str]) -> None:
        """Fetch the keys that are not cached; raises `KeysUnavailable`."""
        wanted = set(ids)
        if len(self._young) >= MAX_CACHED_KEYS:
            self._young, self._old = {}, self._young
        while missing := {one for one in wanted if one not in self._young and one not in self._old}:
            if self._store is None:
                self.missing_key = min(missing)
                return
            await self.verify()
            # If the cache is cleared meanwhile, this dictionary is dropped: the keys may have been erased
            # since they were read. The next round also fetches wanted keys that expired in between.
            cached = self._young
            found = await self._store.fetch(missing)
            cached.update(found)
            if len(found) < len(missing):
                unknown = missing - found.keys()
                cached.update(dict.fromkeys(unknown))
                self.missing_key = min(unknown)

    async def unlock(self, encrypted: Sequence[E]) -> Sequence[E]:
        """Give each item its key, and return the items; raises `KeysUnavailable`."""
        ids = [one.key_id for one in encrypted]
        await self.load(filter(None, ids))
        for one, key_id in zip(encrypted, ids, strict=True):
            if key_id is not None:
                one.unlock(self.get(key_id))
        return encrypted

    async def check(self) -> None:
        """Check that keys can be fetched and issued, and that the store is the log's.

        Raises:
            KeysUnavailable: they cannot now.
        """
        await self.verify()
        await self.store.check()

    async def issue(self) -> Key:
        """Return a new key; raises `KeysUnavailable`."""
        while not self._unused:
            await self.verify()
            async with self._issuing:
                if not self._unused:
                    count = min(_MOST_ISSUED, self._issued + _FIRST_ISSUED)
                    self._unused.extend(await self.store.issue(count))
                    self._issued += count
        key = self._unused.popleft()
        self._young[key.id] = key
        return key

    def put_back(self, key: Key) -> None:
        """Return an issued key under which nothing was encrypted, for the next caller of `issue`."""
        self._unused.append(key)

    async def verify(self) -> None:
        """Compare the store with the log, if that has not been done; raises `KeysUnavailable`."""
        async with self._verifying:
            dsn, store = self._dsn, self._store
            if dsn is None or store is None:
                return
            if self._refused is not None and time.monotonic() - self._refused_at < _VERIFY_SECONDS:
                raise KeysUnavailable(self._refused)
            try:
                await verify(store, dsn)
            except KeysUnavailable as error:
                if self._refused != str(error):
                    logger.error("key_store_refused", reason=str(error))  # noqa: TRY400 - the message says it all
                self._refused, self._refused_at = str(error), time.monotonic()
                raise
            self._dsn = self._refused = None

    async def _expire_keys(self) -> Never:
        while True:
            await asyncio.sleep(CACHE_SECONDS / 2)
            self._young, self._old = {}, self._young
            if self._store is not None:
                self._store.clear()


KEYS: Final = KeyCache()
"""The key cache of this process."""
