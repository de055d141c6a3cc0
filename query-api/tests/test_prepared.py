"""Lists kept ready: never an older one than the table holds, and prepared once."""

import asyncio
import gzip
import json
from collections.abc import Collection

from projections_testing.entity_tables import DRIVERS, HORSES

from projections.tables import EntityTable
from query_api.notified import Notified
from query_api.paging.view import View
from query_api.prepared import Body, PreparedLists
from query_api.reading import Content, ReadTables


class Tables(ReadTables):
    """Read tables that change when a test says so, and count what is read."""

    def __init__(self) -> None:
        self.changes = 0
        self.bodies_read = 0
        self.size = 10

    async def list(
        self, table: EntityTable, view: View | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        etag = f'"1-{self.changes}"'
        await asyncio.sleep(0)
        if etag in known_etags:
            return Content(etag, None, stale=False)
        self.bodies_read += 1
        text = json.dumps({"content": [{"name": f"{etag} {table.name}"}] * self.size})
        return Content(etag, text.encode(), stale=False)


def text_of(body: Body | None) -> str:
    assert body is not None
    return body.json.decode()


async def test_a_list_is_read_once_and_again_when_it_has_changed() -> None:
    tables = Tables()
    lists = PreparedLists(tables, Notified())
    first, body = await lists.read(DRIVERS)
    again, same = await lists.read(DRIVERS)
    assert (first.etag, again.etag, tables.bodies_read) == ('"1-0"', '"1-0"', 1)
    assert same is body
    tables.changes += 1
    changed, other = await lists.read(DRIVERS)
    assert (changed.etag, tables.bodies_read) == ('"1-1"', 2)
    assert "1-1" in text_of(other)
    assert "1-0" not in text_of(other)


async def test_many_who_ask_at_once_share_one_preparation() -> None:
    tables = Tables()
    tables.size = 5_000  # large enough to be compressed in a thread
    lists = PreparedLists(tables, Notified())
    answers = await asyncio.gather(*(lists.read(DRIVERS) for _ in range(20)))
    assert tables.bodies_read == 1
    compressed = await asyncio.gather(*(body.compressed() for _, body in answers if body))
    assert len(compressed) == 20
    assert all(one is compressed[0] for one in compressed)
    assert gzip.decompress(compressed[0]).decode() == text_of(answers[0][1])


async def test_who_has_the_list_needs_no_body_even_if_none_is_kept() -> None:
    tables = Tables()
    lists = PreparedLists(tables, Notified())
    content, body = await lists.read(DRIVERS, known_etags={'"1-0"', '"0-9"'})
    assert (content.etag, body, tables.bodies_read) == ('"1-0"', None, 0)


async def test_clients_with_different_lists_each_get_what_they_lack() -> None:
    tables = Tables()
    tables.changes = 5
    lists = PreparedLists(tables, Notified())
    (_, none), (_, old), (_, new) = await asyncio.gather(
        lists.read(DRIVERS, known_etags={'"1-5"'}),
        lists.read(DRIVERS, known_etags={'"1-4"'}),
        lists.read(DRIVERS),
    )
    assert none is None
    assert text_of(old) == text_of(new)
    assert tables.bodies_read == 1


async def test_what_is_kept_stays_within_its_bound() -> None:
    tables = Tables()
    lists = PreparedLists(tables, Notified(), max_bytes=2_000)
    for table in (DRIVERS, HORSES, DRIVERS):
        await lists.read(table)
    assert 0 < lists.size <= 2_000
    tables.size, tables.changes = 5_000, 1
    content, body = await lists.read(DRIVERS)
    assert "1-1" in text_of(body)
    assert body is not None
    assert gzip.decompress(await body.compressed()) == body.json
    assert lists.size <= 2_000
    assert (await lists.read(DRIVERS))[0] == content
