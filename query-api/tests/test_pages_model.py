"""All pages together are the whole list, sorted and filtered as a few lines of Python say."""

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import LOCATIONS
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.base.database import Pool, open_pool
from ops.base.json_values import to_json
from ops.testing.postgres import Database
from projections.tables import ENTITY_TABLES, EntityTable
from projections.tables.search_terms import search_text, sort_keys, sortable_fields
from query_api.paging.view import View
from query_api.reading import ReadTables

pytestmark = pytest.mark.integration

# Letters whose other case is longer, shorter, or in another alphabet; wildcards, quotes, escapes.
_LETTERS: Final = st.sampled_from(
    "aAbBzZiIİıkK\u212asSſßẞσςΣéÉе\u0301ДдñÑåÅ日本😀𐐀𐐨"  # noqa: RUF001 - on purpose
    "%_\\\"'`*?[](){}^$|.,:;/+-#&= 019\u00a0\u2028\ufffd\ufffe"
)
_TEXTS: Final = st.text(_LETTERS, max_size=6)
_IDS: Final = st.from_regex(r"[A-Ca-c0-1][A-Ca-c0-1._-]{0,2}", fullmatch=True)
_NUMBERS: Final = (
    st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.just(-0.0)
)
_DATES: Final = st.dates().map(str)
_JSON: Final = st.none() | _TEXTS | _NUMBERS | st.booleans() | st.lists(_TEXTS | st.integers(), max_size=2)


def _record(table: EntityTable) -> st.SearchStrategy[dict[str, Any]]:
    values: dict[str, st.SearchStrategy[Any]] = {
        name: st.none() | (_NUMBERS if kind == "number" else _TEXTS | _DATES)
        for name, kind in sortable_fields(table.entity).items()
        if name in table.entity.schema["properties"]
    }
    if table is LOCATIONS:
        attributes = dict.fromkeys(("city", "state", "postalCode"), st.none() | _TEXTS)
        values["attributes"] = st.fixed_dictionaries(attributes)
    if "data" in table.entity.schema["properties"]:
        data = dict.fromkeys(("currentLocation", "lastMaintenance"), _JSON)
        values["data"] = st.none() | st.fixed_dictionaries({}, optional=data)
    return st.fixed_dictionaries({**values, "id": _IDS})


def _cases(table: EntityTable) -> st.SearchStrategy[tuple[EntityTable, list[dict[str, Any]], View]]:
    items = _record(table).map(table.entity.list_item)
    views = st.builds(
        View,
        size=st.integers(1, 4) | st.just(1000),
        sort=st.sampled_from(list(sortable_fields(table.entity))),
        descending=st.booleans(),
        q=st.just("") | st.text(_LETTERS, max_size=4),
    )
    return st.tuples(st.just(table), st.lists(items, max_size=12, unique_by=lambda item: item["id"]), views)


def lower(text: str) -> str:
    """One letter for one letter, unlike Python's own."""
    return "".join("i" if letter == "İ" else letter.lower() for letter in text)


def as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else to_json(value)


def at(item: dict[str, Any], path: str) -> Any:
    name, _, member = path.partition(".")
    return item[name][member] if member else item[name]


def expected(table: EntityTable, items: list[dict[str, Any]], view: View) -> list[dict[str, Any]]:
    def key(item: dict[str, Any]) -> Any:
        value = item[view.sort]
        if view.sort == "id" or value is None:
            return value
        if sortable_fields(table.entity)[view.sort] == "number":
            return Decimal(repr(value))
        return lower(as_text(value) or "")

    texts = {item["id"]: [as_text(at(item, path)) for path in table.entity.searched] for item in items}
    found = [
        item
        for item in items
        if any(text is not None and lower(view.q) in lower(text) for text in texts[item["id"]])
    ]
    found.sort(key=lambda item: item["id"])
    valued = [item for item in found if item[view.sort] is not None]
    valued.sort(key=key, reverse=view.descending)  # equal ones stay ordered by id, in both directions
    return valued + [item for item in found if item[view.sort] is None]


@pytest.fixture(scope="module")
async def pools(module_database: Database) -> AsyncIterator[list[Pool]]:
    """As the planner likes it, which is without the index where there is little, and by way of the index."""
    by_index = make_conninfo(module_database.query, options="-c enable_seqscan=off")
    async with open_pool(module_database.query, size=1) as pool, open_pool(by_index, size=1) as other:
        yield [pool, other]


@pytest.fixture(scope="module")
def owner(module_database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield connection


def fill(owner: psycopg.Connection, table: EntityTable, items: list[dict[str, Any]]) -> list[str]:
    texts = [to_json(item) for item in items]
    owner.execute(sql.SQL("TRUNCATE {}").format(table.identifier))
    owner.execute(
        sql.SQL(
            "INSERT INTO {} (id, version, position, record, list_item, search_text, sort_keys)"
            " SELECT id, 1, 1, item::json, item::json, search_text, sort_keys"
            " FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[])"
            " AS row (id, item, search_text, sort_keys)"
        ).format(table.identifier),
        (
            [item["id"] for item in items],
            texts,
            [search_text(table, item) for item in items],
            [sort_keys(table, item) for item in items],
        ),
    )
    return texts


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=st.sampled_from(ENTITY_TABLES).flatmap(_cases))
async def test_all_pages_together_are_the_list_sorted_and_filtered(
    case: tuple[EntityTable, list[dict[str, Any]], View],
    pools: list[Pool],
    owner: psycopg.Connection,
) -> None:
    table, items, view = case
    fill(owner, table, items)
    wanted = expected(table, items, view)
    texts = [to_json(item) for item in wanted]
    pages = -(-len(wanted) // view.size)
    for number in range(pages + 1):  # and the one beyond the last
        one = View(number, view.size, view.sort, view.descending, view.q)
        content, same = [await ReadTables(pool).list(table, one) for pool in pools]
        assert content == same
        page = {"size": view.size, "number": number, "totalElements": len(wanted), "totalPages": pages}
        part = texts[number * view.size : (number + 1) * view.size]
        assert content.json
        assert content.json.decode() == f'{{"content":[{",".join(part)}],"page":{to_json(page)}}}'
