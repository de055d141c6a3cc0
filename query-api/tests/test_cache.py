"""Caches of lists and records."""

import asyncio
import gzip
import json
from collections.abc import Collection
from typing import Any

import pytest
from projections_testing.entity_tables import DRIVERS, HORSES

from ops.testing.conditions import wait_until
from query_api.cache.answers import CachedLists, CachedRecords
from query_api.database.lists import Lists
from query_api.freshness.notifications import Notifications, PolledPosition
from query_api.http.representation import Body, Content, Missing
from query_api.paging.view import COUNT, ListView
from read_model.tables import EntityTable


class Tables(Lists):
    """Lists that a test changes, with a count of reads."""

    def __init__(self) -> None:
        self.changes = 0
        self.bodies_read = 0
        self.size = 10

    async def list(
        self, table: EntityTable, view: ListView | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        etag = f'"1-{self.changes}"'
        await asyncio.sleep(0)
        if etag in known_etags:
            return Content(etag, None, stale=False)
        self.bodies_read += 1
        text = json.dumps({"content": [{"name": f"{etag} {table.name}"}] * self.size})
        if view is COUNT:
            text = json.dumps({"content": [], "page": {"totalElements": self.size}})
        return Content(etag, text.encode(), stale=False)


def text_of(body: Body | None) -> str:
    assert body is not None
    return body.json.decode()


async def test_list_is_read_again_only_after_a_change() -> None:
    tables = Tables()
    lists = CachedLists(tables, Notifications())
    first, body = await lists.read(DRIVERS)
    again, same = await lists.read(DRIVERS)
    assert (first.etag, again.etag, tables.bodies_read) == ('"1-0"', '"1-0"', 1)
    assert same is body
    tables.changes += 1
    changed, other = await lists.read(DRIVERS)
    assert (changed.etag, tables.bodies_read) == ('"1-1"', 2)
    assert "1-1" in text_of(other)
    assert "1-0" not in text_of(other)


async def test_concurrent_requests_share_one_read() -> None:
    tables = Tables()
    tables.size = 5_000  # large enough to be compressed in a thread
    lists = CachedLists(tables, Notifications())
    answers = await asyncio.gather(*(lists.read(DRIVERS) for _ in range(20)))
    assert tables.bodies_read == 1
    compressed = await asyncio.gather(*(body.compressed() for _, body in answers if body))
    assert len(compressed) == 20
    assert all(one is compressed[0] for one in compressed)
    assert gzip.decompress(compressed[0]).decode() == text_of(answers[0][1])


async def test_concurrent_requests_with_different_etags() -> None:
    tables = Tables()
    tables.changes = 5
    lists = CachedLists(tables, Notifications())
    (_, none), (_, old), (_, new) = await asyncio.gather(
        lists.read(DRIVERS, known_etags={'"1-5"'}),
        lists.read(DRIVERS, known_etags={'"1-4"'}),
        lists.read(DRIVERS),
    )
    assert none is None
    assert text_of(old) == text_of(new)
    assert tables.bodies_read == 1


async def test_cached_lists_are_bounded() -> None:
    tables = Tables()
    lists = CachedLists(tables, Notifications(), max_bytes=2_000)
    for table in (DRIVERS, HORSES, DRIVERS):
        for masked in (True, False):
            await lists.read(table, masked=masked)
            assert 0 < lists.size <= 2_000
    tables.size, tables.changes = 5_000, 1
    content, body = await lists.read(DRIVERS)
    assert "1-1" in text_of(body)
    assert body is not None
    assert gzip.decompress(await body.compressed()) == body.json
    assert lists.size <= 2_000
    assert (await lists.read(DRIVERS))[0] == content


async def test_masked_list_is_derived_once_with_its_own_tag() -> None:
    tables = Tables()
    lists = CachedLists(tables, Notifications())
    (full, body), (masked, shown) = await lists.read(DRIVERS), await lists.read(DRIVERS, masked=True)
    assert (masked.etag, full.etag, tables.bodies_read) == ('"1-0-masked"', '"1-0"', 1)
    assert "1-0" in text_of(body)
    assert json.loads(text_of(shown))["content"] == [{"name": None, "masked": ["name"]}] * tables.size
    again = await asyncio.gather(*(lists.read(DRIVERS, masked=True) for _ in range(20)))
    assert all(one is shown for _, one in again)
    tables.changes += 1
    assert (await lists.read(DRIVERS, masked=True))[0].etag == '"1-1-masked"'
    assert tables.bodies_read == 2


@pytest.mark.parametrize("masked", [True, False])
async def test_long_list_is_only_counted_once(
    notified: Notifications,
    masked: bool,  # noqa: FBT001
) -> None:
    tables = Tables()
    lists = CachedLists(tables, notified)
    whole = await lists.read(DRIVERS, up_to=10, masked=masked)
    assert len(json.loads(text_of(whole[1]))["content"]) == 10
    assert await lists.read(DRIVERS, up_to=10, masked=masked) == whole
    assert tables.bodies_read == 2
    tables.changes += 1
    notified.notify("")
    _, count = await lists.read(DRIVERS, up_to=9, masked=masked)
    assert json.loads(text_of(count)) == {"content": [], "page": {"totalElements": 10}}
    assert (await lists.read(DRIVERS, up_to=0, masked=masked))[1] is count
    assert tables.bodies_read == 3


class Records:
    """Records that a test changes, with a count of reads."""

    def __init__(self, notified: Notifications) -> None:
        self.text = "first"
        self.reads = self.masks = 0
        self.size = 1
        self.prepared = CachedRecords(notified, max_bytes=20_000, longest_bytes=5_000)

    async def read(self) -> Content | Missing:
        self.reads += 1
        text = self.text
        await asyncio.sleep(0)
        return Content(f'"{text}"', text.encode() * self.size, stale=False) if text else Missing()

    async def get(
        self, stream: str = "driver:1", part: str | None = None, *, masked: bool = False
    ) -> bytes | None:
        mask = self.mask if masked else None
        found = await self.prepared.read(DRIVERS, stream, self.read, part=part, mask=mask)
        return None if isinstance(found, Missing) else found[1].json

    async def mask(self, content: Content) -> Content:
        self.masks += 1
        return Content('"masked"', (content.json or b"").upper(), stale=False)


@pytest.fixture
def notified() -> Notifications:
    notified = Notifications(lease_seconds=600)
    notified.begin_poll()([PolledPosition("log", DRIVERS.name, 5, DRIVERS.version, 0)])
    return notified


@pytest.fixture
def records(notified: Notifications) -> Records:
    return Records(notified)


async def test_record_is_read_again_only_after_its_notification(
    records: Records, notified: Notifications
) -> None:
    assert [await records.get(), await records.get(), records.reads] == [b"first", b"first", 1]
    assert [await records.get(part="history"), records.reads] == [b"first", 2]
    records.text = "second"
    notified.notify("drivers:5-6:driver:2")
    assert [await records.get(), await records.get(part="history"), records.reads] == [b"first", b"first", 2]
    notified.notify("drivers:6-7:driver:1")
    assert [await records.get(), await records.get(part="history"), records.reads] == [
        b"second",
        b"second",
        4,
    ]


async def test_record_is_masked_once_per_change(records: Records, notified: Notifications) -> None:
    for _ in range(3):
        assert [await records.get(masked=True), await records.get()] == [b"FIRST", b"first"]
    assert (records.reads, records.masks) == (1, 1)
    records.text = "second"
    notified.notify("drivers:5-6:driver:1")
    assert [await records.get(), await records.get(masked=True)] == [b"second", b"SECOND"]
    assert (records.reads, records.masks) == (2, 2)
    records.text = ""
    notified.notify("drivers:6-7:driver:1")
    assert await records.get(masked=True) is None


async def test_answer_changed_during_its_read_is_not_cached(
    records: Records, notified: Notifications
) -> None:
    reading = asyncio.create_task(records.get())
    await wait_until(lambda: records.reads == 1)
    records.text = "second"
    notified.notify("drivers:5-6:driver:1")
    assert await reading == b"first"  # current when it was requested
    assert await records.get() == b"second"


async def test_missing_record_is_not_cached(records: Records, notified: Notifications) -> None:
    records.text = ""
    assert [await records.get(), await records.get(), records.reads] == [None, None, 2]
    records.text = "first"
    assert await records.get() == b"first"


async def test_records_are_not_cached_without_notifications(
    records: Records, notified: Notifications
) -> None:
    assert await records.get() == b"first"
    records.text = "second"
    notified.discard()
    assert [await records.get(), await records.get(), records.reads] == [b"second", b"second", 3]


async def test_cached_records_are_bounded_and_long_ones_not_cached(records: Records) -> None:
    records.text = "x" * 1_000
    for number in range(50):
        await records.get(f"driver:{number}")
        assert records.prepared.size <= 20_000
    await records.get("driver:49")
    assert records.reads == 50
    await records.get("driver:0")
    assert records.reads == 51
    records.size, before = 6, records.prepared.size
    for _ in range(2):
        await records.get("driver:99")
    assert (records.reads, records.prepared.size) == (53, before)


async def test_unchanged_list_is_not_read(notified: Notifications) -> None:
    tables = Tables()
    lists = CachedLists(tables, notified)
    first, body = await lists.read(DRIVERS)
    tables.changes += 1
    notified.notify("drivers:5-6:horse:1")
    assert await lists.read(DRIVERS, known_etags={first.etag}) == (first, body)
    notified.notify("drivers:6-7:driver:9")
    changed, other = await lists.read(DRIVERS, known_etags={first.etag})
    assert (changed.etag, "1-1" in text_of(other)) == ('"1-1"', True)
    notified.notify("drivers:6-6")  # any change
    unchanged, same = await lists.read(DRIVERS)
    assert (unchanged.etag, same, tables.bodies_read) == ('"1-1"', other, 2)


async def test_answer_read_during_a_clear_is_not_cached(
    records: Records, notified: Notifications, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Tables()
    lists = CachedLists(tables, notified)
    list_, read = tables.list, records.read

    async def list_and_forget(*values: Any, **more: Any) -> Content:
        found = await list_(*values, **more)
        lists.clear()
        return found

    async def read_and_forget() -> Content | Missing:
        found = await read()
        records.prepared.clear()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(tables, "list", list_and_forget)
        patch.setattr(records, "read", read_and_forget)
        await lists.read(DRIVERS)
        await records.get()
        assert (lists.size, records.prepared.size) == (0, 0)
    await lists.read(DRIVERS)
    await records.get()
    assert min(lists.size, records.prepared.size) > 0
    lists.clear()
    records.prepared.clear()
    assert (lists.size, records.prepared.size) == (0, 0)
