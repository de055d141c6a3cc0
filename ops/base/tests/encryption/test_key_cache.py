"""The key cache: keys for a minute at most, and none after a purge."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ops.base.encryption import key_cache as key_cache_module
from ops.base.encryption.key_cache import CACHE_SECONDS, KeyCache
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.settings import require_key_store
from ops.base.encryption.stores import KeyStore
from ops.base.http.health import keys_check


class MemoryStore(KeyStore):
    """A store that records requests, and answers on demand."""

    def __init__(self) -> None:
        self.kept: dict[str, Key | None] = {}
        self.asked: list[set[str]] = []
        self.issued = 0
        self.was_asked = asyncio.Event()
        self.answers = asyncio.Event()
        self.answers.set()
        self.is_available = True

    async def issue(self, count: int) -> list[Key]:
        self.issued += 1
        keys = [Key.new() for _ in range(count)]
        self.kept |= {key.id: key for key in keys}
        return keys

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        await self.check()
        found = {key_id: self.kept[key_id] for key_id in ids if key_id in self.kept}
        self.asked.append(set(ids))
        self.was_asked.set()
        await self.answers.wait()
        return found

    async def erase(self, ids: Collection[str]) -> None:
        self.kept |= dict.fromkeys(ids)

    def clear(self) -> None:
        pass

    async def check(self) -> None:
        if not self.is_available:
            raise KeysUnavailable("no answer")


class EncryptedItem:
    """Data with the id of its key."""

    def __init__(self, key_id: str | None) -> None:
        self.key_id = key_id
        self.key: Key | None = None
        self.given = 0

    def unlock(self, key: Key | None) -> None:
        self.key = key
        self.given += 1


class ShiftedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be advanced."""

    shift = 0.0

    def time(self) -> float:
        return super().time() + self.shift

    async def advance(self, seconds: float) -> None:
        """Advance the clock, and run what is due."""
        self.shift += seconds
        for _ in range(5):
            await asyncio.sleep(0)


def on_shifted_loop(scenario: Callable[[ShiftedLoop], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=ShiftedLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, ShiftedLoop)
        runner.run(scenario(loop))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_keys_expire_after_a_minute(pauses: list[int]) -> None:
    async def scenario(loop: ShiftedLoop) -> None:
        store, cache = MemoryStore(), KeyCache()
        async with cache.use(store):
            fetched: dict[str, float] = {}
            for pause in pauses:
                (key,) = await store.issue(1)
                await cache.load([key.id])
                fetched[key.id] = loop.time()
                for _ in range(pause):
                    await loop.advance(1)
                for key_id, moment in fetched.items():
                    if loop.time() - moment > CACHE_SECONDS + 2:  # expiry is checked once per step
                        assert cache.get(key_id) is None

    on_shifted_loop(scenario)


def test_requests_do_not_extend_a_keys_expiry() -> None:
    async def scenario(loop: ShiftedLoop) -> None:
        store, cache = MemoryStore(), KeyCache()
        (key,) = await store.issue(1)
        async with cache.use(store):
            await asyncio.sleep(0)  # the expiry starts
            for _ in range(6):
                await cache.load([key.id])
                assert cache.get(key.id) is key
                await loop.advance(CACHE_SECONDS / 4)
            assert len(store.asked) > 1
            await store.erase([key.id])
            for _ in range(3):
                await loop.advance(CACHE_SECONDS / 2)
            await cache.load([key.id])
            assert cache.get(key.id) is None

    on_shifted_loop(scenario)


def test_key_expiring_during_a_fetch_is_fetched_again() -> None:
    async def scenario(loop: ShiftedLoop) -> None:
        store, cache = MemoryStore(), KeyCache()
        held, other = await store.issue(2)
        async with cache.use(store):
            await asyncio.sleep(0)
            await cache.load([held.id])
            store.answers.clear()
            loading = asyncio.create_task(cache.load([held.id, other.id]))
            for _ in range(3):
                await loop.advance(CACHE_SECONDS / 2)
            assert cache.get(held.id) is None
            store.answers.set()
            await loading
            assert cache.get(held.id) is held
            assert cache.get(other.id) is other

    on_shifted_loop(scenario)


async def test_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_cache_module, "MAX_CACHED_KEYS", 100)
    store, cache = MemoryStore(), KeyCache()
    async with cache.use(store):
        for _ in range(20):
            some = await store.issue(40)
            await cache.load(key.id for key in some)
            assert all(cache.get(key.id) is key for key in some)
        assert sum(cache.get(key_id) is not None for key_id in store.kept) <= 2 * (100 + 40)


async def test_key_cleared_during_a_fetch_is_fetched_again() -> None:
    store, cache = MemoryStore(), KeyCache()
    (key,) = await store.issue(1)
    async with cache.use(store):
        store.answers.clear()
        loading = asyncio.create_task(cache.load([key.id]))
        await store.was_asked.wait()
        await store.erase([key.id])  # the fetch has read the key before
        cache.clear()
        store.answers.set()
        await loading
        assert cache.get(key.id) is None
        assert store.asked == [{key.id}, {key.id}]


async def test_clearing_or_leaving_the_cache_drops_keys() -> None:
    store, cache = MemoryStore(), KeyCache()
    keys = await store.issue(2)
    async with cache.use(store):
        await cache.load([key.id for key in keys])
        assert cache.get(keys[0].id) is keys[0]
        cache.clear()
        assert [cache.get(key.id) for key in keys] == [None, None]
        await cache.load([key.id for key in keys])
    assert [cache.get(key.id) for key in keys] == [None, None]


async def test_items_receive_their_keys() -> None:
    store, cache = MemoryStore(), KeyCache()
    first, second, erased = await store.issue(3)
    await store.erase([erased.id])
    items = [EncryptedItem(name) for name in (first.id, None, second.id, first.id, erased.id, "never had")]
    async with cache.use(store):
        assert await cache.unlock(items) is items
        assert [item.key for item in items] == [first, None, second, first, None, None]
        assert [item.given for item in items] == [1, 0, 1, 1, 1, 1]
        assert len(store.asked) == 1
        await cache.unlock(items)
        assert len(store.asked) == 1  # missing keys are cached too


async def test_keys_are_issued_in_batches_and_once() -> None:
    store, cache = MemoryStore(), KeyCache()
    async with cache.use(store):
        made = await asyncio.gather(*(cache.issue() for _ in range(30)))
        assert len({key.id for key in made}) == 30
        assert store.issued < 5
        cache.put_back(made[0])
        taken = [await cache.issue() for _ in range(300)]
        assert sum(key is made[0] for key in taken) == 1
        assert not {key.id for key in taken} & {key.id for key in made[1:]}


async def test_readiness_reports_missing_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLEETLOG_KEYS", raising=False)
    store, cache = MemoryStore(), KeyCache()
    (key,) = await store.issue(1)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(cache.use(store))
        await cache.load([key.id])
        check = await keys_check(cache, vital=True)
        assert (check.ok, check.degraded, check.detail) == (True, False, None)
        store.is_available = False
        check = await keys_check(cache, vital=True)
        assert (check.ok, check.detail) == (False, "no answer")
        check = await keys_check(cache, vital=False)
        assert (check.ok, check.degraded) == (True, True)
        store.is_available = True
        await cache.load(["of-another-log"])
        check = await keys_check(cache, vital=True)
        assert (check.ok, check.degraded) == (True, True)
        assert check.detail == "the key store never had key of-another-log"
    item = EncryptedItem(key.id)
    async with cache.use():
        await cache.unlock([item])
        assert item.key is None
        check = await keys_check(cache, vital=False)
        assert (check.degraded, check.detail) == (True, "no key store is configured")
        with pytest.raises(KeysUnavailable):
            await cache.issue()


async def test_erased_key_does_not_degrade_readiness() -> None:
    store, cache = MemoryStore(), KeyCache()
    (key,) = await store.issue(1)
    await store.erase([key.id])
    async with cache.use(store):
        await cache.load([key.id])
        check = await keys_check(cache, vital=True)
        assert (check.ok, check.degraded) == (True, False)


def test_key_store_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_KEYS", "/a/folder")
    require_key_store()
    monkeypatch.setenv("FLEETLOG_KEYS", "")
    with pytest.raises(SystemExit, match="FLEETLOG_KEYS: set the key store"):
        require_key_store()
    monkeypatch.delenv("FLEETLOG_KEYS")
    with pytest.raises(SystemExit, match="FLEETLOG_KEYS: set the key store"):
        require_key_store()


def test_incomplete_key_database_is_refused_without_quoting_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_KEYS", "postgresql://someone:a-secret@nowhere/keys")
    with pytest.raises(SystemExit, match="FLEETLOG_KEY_ENCRYPTION_KEYS") as refused:
        require_key_store()
    assert "a-secret" not in str(refused.value)
    monkeypatch.setenv("FLEETLOG_KEY_ENCRYPTION_KEYS", "/somewhere")
    require_key_store()
    monkeypatch.setenv("FLEETLOG_KEYS_PASSWORD_FILE", "/not/there")
    with pytest.raises(SystemExit, match="FLEETLOG_KEYS_PASSWORD_FILE: cannot read /not/there"):
        require_key_store()
