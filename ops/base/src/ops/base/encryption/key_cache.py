"""The keys that a process holds, for a minute at most."""

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
"""When there are so many younger ones, the older ones go before their time."""
_VERIFY_SECONDS: Final = 5.0
"""A comparison with the log that failed is not repeated earlier: it may read the whole log."""
_FIRST_ISSUED: Final = 8
_MOST_ISSUED: Final = 256
"""Made at once, for a commit of the store takes longer than the command that needs one."""


class Encrypted(Protocol):
    """What may be sealed, and is given its key when that has been fetched."""

    @property
    def key_id(self) -> str | None:
        """The key that it is sealed under; None: it is in the clear."""
        ...

    def unlock(self, key: Key | None) -> None:
        """Take the key that it is sealed under; None: nobody has it."""
        ...


S = TypeVar("S", bound=Encrypted)


class KeyCache:
    """Fetches keys, and forgets them soon.

    Without a store nothing is sealed, and what is sealed cannot be opened.

    Attributes:
        missing_key: a key that was wanted, and that the store never had, or that there was no store to ask
            for: it is not this log's, or has lost something. What was erased is none.
    """

    def __init__(self) -> None:
        self._store: KeyStore | None = None
        # By id; None: nobody has it any more. What is in the older one goes when the younger one takes its
        # place.
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
        """Use a store for the time of a context.

        Args:
            store: which; None: the one that the environment names, if it names one.
            dsn: of the log's database: the store is not used before `verify` has compared it with the log.
        """
        async with open_configured_store() as configured:
            self._store = store or configured
            self._dsn, self._refused = dsn, None
            self._verifying = asyncio.Lock()  # a lock belongs to the event loop that first waits for it
            try:
                async with running(self._expire_keys):
                    yield
            finally:
                self.clear()
                self._store = None
                self._unused.clear()

    @property
    def store(self) -> KeyStore:
        """Where the keys are kept.

        Raises:
            KeysUnavailable: no store is configured, or it was not compared with the log yet.
        """
        if self._store is None:
            raise KeysUnavailable("no key store is configured")
        if self._dsn is not None:
            raise KeysUnavailable(self._refused or "the key store was not compared with the log yet")
        return self._store

    @property
    def seals(self) -> bool:
        """Whether there is a store."""
        return self._store is not None

    def clear(self) -> None:
        """Hold no key, nor what wraps keys."""
        self._young, self._old = {}, {}
        if self._store is not None:
            self._store.clear()

    def get(self, key_id: str) -> Key | None:
        """Return a key that was loaded; None: nobody has it, or it was not."""
        return self._young.get(key_id) or self._old.get(key_id)

    async def load(self, ids: Iterable[str]) -> None:
        """Hold keys.

        Raises:
            KeysUnavailable: they cannot be had now.
        """
        wanted = set(ids)
        if len(self._young) >= MAX_CACHED_KEYS:
            self._young, self._old = {}, self._young
        while missing := {one for one in wanted if one not in self._young and one not in self._old}:
            if self._store is None:
                self.missing_key = min(missing)
                return
            await self.verify()
            held = self._young
            found = await self._store.fetch(missing)
            # Where all was forgotten meanwhile, these are as well, for they may have been erased since they
            # were read; what was held when this began may be gone, too.
            held.update(found)
            if len(found) < len(missing):
                unknown = missing - found.keys()
                held.update(dict.fromkeys(unknown))
                self.missing_key = min(unknown)

    async def unlock(self, sealed: Sequence[S]) -> Sequence[S]:
        """Give what is sealed its keys, and return it.

        Raises:
            KeysUnavailable: they cannot be had now.
        """
        ids = [one.key_id for one in sealed]
        await self.load(filter(None, ids))
        for one, key_id in zip(sealed, ids, strict=True):
            if key_id is not None:
                one.unlock(self.get(key_id))
        return sealed

    async def check(self) -> None:
        """See that keys can be had, if there is a store, and that it is the log's.

        Raises:
            KeysUnavailable: they cannot be had now.
        """
        if self._store is not None:
            await self.verify()
            await self._store.check()

    async def issue(self) -> Key:
        """Return a key for somebody who has none.

        Raises:
            KeysUnavailable: none can be made now.
        """
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
        """Take a key back that nothing was sealed under."""
        self._unused.append(key)

    async def verify(self) -> None:
        """Compare the store with the log, unless that was done.

        Raises:
            KeysUnavailable: the store is not the log's, or one of them cannot be read now.
        """
        if self._dsn is None:
            return
        async with self._verifying:
            await self._verify_once()

    async def _verify_once(self) -> None:
        if self._dsn is not None and self._store is not None:
            if self._refused is not None and time.monotonic() - self._refused_at < _VERIFY_SECONDS:
                raise KeysUnavailable(self._refused)
            try:
                await verify(self._store, self._dsn)
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
"""This process's: it has one key store, as it has one database."""
