"""Pages, exports and choices of a list are what a few lines of Python say of its items."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import LOCATIONS
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.base.database.pools import Pool
from ops.base.records.entities import value_at
from ops.base.records.json_values import to_json
from ops.base.records.masks import masked_record
from ops.testing.postgres import Database
from query_api.database.lists import Lists
from query_api.paging.choices import load_choices
from query_api.paging.filters import Filters
from query_api.paging.view import ListView
from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.search_terms import folded, key_of, search_text, sort_keys, sortable_fields, sought_in

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


def page_of(table: EntityTable, items: list[dict[str, Any]], view: ListView) -> str:
    """Return a page of a list as JSON text.

    Args:
        table: which list.
        items: all that are in it.
        view: which page.
    """
    found = sorted_and_filtered(table, items, view)
    pages = -(-len(found) // view.size)
    page = {"size": view.size, "number": view.page, "totalElements": len(found), "totalPages": pages}
    part = found[view.page * view.size : (view.page + 1) * view.size]
    return f'{{"content":[{",".join(map(to_json, part))}],"page":{to_json(page)}}}'


def sorted_and_filtered(
    table: EntityTable, items: list[dict[str, Any]], view: ListView
) -> list[dict[str, Any]]:
    """Return what of a list a view's pages show, in their order."""
    found = [item for item in items if _has(table, item, view)]
    found = [item for item in found if all(_passes(table, item, *asked) for asked in view.filters)]
    found.sort(key=lambda item: str(item["id"]))
    if not view.sort:
        return found[::-1] if view.descending else found
    kind = sortable_fields(table.entity)[view.sort]

    def key(item: dict[str, Any]) -> Any:
        value = item[view.sort]
        if value is None:
            return None
        return Decimal(repr(value)) if kind == "number" else key_of(_text(value)) or None

    valued = [item for item in found if key(item) is not None]
    valued.sort(key=key, reverse=view.descending)  # equal ones stay ordered by id, in both directions
    return valued + [item for item in found if key(item) is None]


def choices_of(
    table: EntityTable, items: list[dict[str, Any]], field: str, view: ListView
) -> list[tuple[str, int]]:
    """Return the values of a field, spelt as the first row has them, and how many rows have each."""
    others = tuple(one for one in view.filters if one[0] != field)
    rows: dict[str, list[str]] = {}
    for item in sorted_and_filtered(table, items, replace(view, filters=others, sort="")):
        if key := key_of(item[field] or ""):
            rows.setdefault(key, []).append(item[field])
    return [
        (spelt[0], len(spelt)) for _, spelt in sorted(rows.items(), key=lambda one: (-len(one[1]), one[0]))
    ]


def _has(table: EntityTable, item: dict[str, Any], view: ListView) -> bool:
    shown = masked_record(table.entity, item) if view.masked else item
    searched = table.entity.searched_in_list if view.q_in_list else table.entity.searched
    values = [value_at(shown, path) for path in searched]
    texts = [folded(_text(value)) for value in values if value is not None]
    looked_at = [one for text in texts for one in (text, *sought_in(text))]  # those of numbers as well
    wanted = sought_in(view.q)
    return not wanted or any(one in text for one in wanted for text in looked_at)


def _passes(table: EntityTable, item: dict[str, Any], name: str, asked: Sequence[str]) -> bool:
    """Return whether a row has one of the values, or is in all spans of days."""
    value = item[name]
    if table.entity.filtered[name] == "value":
        return bool(folded(value or "")) and folded(value) in map(folded, asked)
    return all(_is_among(value or "", span) for span in asked)


def _is_among(day: str, span: str) -> bool:
    first, _, last = span.removeprefix("!").partition("..")
    return (day != "" and (first or "0000") <= day <= (last or "9999-12-31")) != span.startswith("!")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)


def _record(table: EntityTable) -> st.SearchStrategy[dict[str, Any]]:
    values: dict[str, st.SearchStrategy[Any]] = {
        name: st.none() | (_NUMBERS if kind == "number" else _TEXTS | _DATES)
        for name, kind in sortable_fields(table.entity).items()
        if name in table.entity.schema["properties"]
    }
    values |= {name: st.none() | _DATES for name, kind in table.entity.filtered.items() if kind == "days"}
    if table is LOCATIONS:
        attributes = dict.fromkeys(("city", "state", "postalCode"), st.none() | _TEXTS)
        values["attributes"] = st.fixed_dictionaries(attributes)
    if "data" in table.entity.schema["properties"]:
        data = dict.fromkeys(("currentLocation", "lastMaintenance"), _JSON)
        values["data"] = st.none() | st.fixed_dictionaries({}, optional=data)
    return st.fixed_dictionaries({**values, "id": _IDS})


@st.composite
def _filters(draw: st.DrawFn, table: EntityTable, items: list[dict[str, Any]]) -> Filters:
    """Narrow a list to what is in it, however that is capitalised, or near to it, or not there."""
    asked: Filters = ()
    for name, kind in table.entity.filtered.items():
        there = [one for item in items if (one := item[name])] or ["2026-11-21"]
        values = st.sampled_from(there)
        if kind == "days":
            ends = st.sampled_from(["{}..{}", "{}..", "..{}", "!{}..{}", "!..{}"])
            values = st.builds(str.format, ends, values | _DATES, values)
        else:
            values |= values.map(str.swapcase) | _TEXTS
        if some := draw(st.just(set()) | st.sets(values, max_size=3)):
            asked = (*asked, (name, tuple(sorted(some))))
    return asked


@st.composite
def _cases(draw: st.DrawFn, table: EntityTable) -> tuple[EntityTable, list[dict[str, Any]], ListView]:
    records = st.lists(_record(table), max_size=12, unique_by=lambda record: record["id"])
    items = [table.entity.list_item(record) for record in draw(records)]
    views = st.builds(
        ListView,
        size=st.integers(1, 4) | st.just(1000),
        sort=st.just("") | st.sampled_from(list(sortable_fields(table.entity))),
        descending=st.booleans(),
        q=st.just("") | st.text(_LETTERS, max_size=4),
        q_in_list=st.booleans(),
        masked=st.booleans(),
        filters=st.just(()) | _filters(table, items),
    )
    return table, items, draw(views)


@pytest.fixture(scope="module")
async def pools(module_database: Database) -> AsyncIterator[list[Pool]]:
    """As the planner likes it, which is without the index where there is little, and by way of the index."""
    by_index = make_conninfo(module_database.query, options="-c enable_seqscan=off")
    async with Pool(module_database.query, size=1) as pool, Pool(by_index, size=1) as other:
        yield [pool, other]


def fill(owner: psycopg.Connection, table: EntityTable, items: list[dict[str, Any]]) -> None:
    owner.execute(sql.SQL("TRUNCATE {}, {}").format(table.identifier, table.search.identifier))
    ids = [item["id"] for item in items]
    owner.execute(
        sql.SQL(
            "INSERT INTO {} (id, version, position, record, list_item)"
            " SELECT id, 1, 1, item::json, item::json FROM unnest(%b::text[], %b::text[]) AS row (id, item)"
        ).format(table.identifier),
        (ids, [to_json(item) for item in items]),
    )
    owner.execute(
        sql.SQL(
            "INSERT INTO {} (id, version, search_text, sort_keys)"
            " SELECT id, 1, search_text, sort_keys"
            " FROM unnest(%b::text[], %b::text[], %b::text[]) AS row (id, search_text, sort_keys)"
        ).format(table.search.identifier),
        (
            ids,
            [search_text(table, item) for item in items],
            [sort_keys(table, item) for item in items],
        ),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=st.sampled_from(ENTITY_TABLES).flatmap(_cases))
async def test_pages_exports_and_choices_agree_with_the_model(
    case: tuple[EntityTable, list[dict[str, Any]], ListView], pools: list[Pool], owner: psycopg.Connection
) -> None:
    table, items, view = case
    fill(owner, table, items)
    found = sorted_and_filtered(table, items, view)
    for number in range(-(-len(found) // view.size) + 1):  # and the one beyond the last
        one = replace(view, page=number)
        content, same = [await Lists(pool).list(table, one) for pool in pools]
        assert content == same
        assert content.json
        assert content.json.decode() == page_of(table, items, one)
    whole = replace(view, descending=view.descending and view.sort != "")
    expected = [item["id"] for item in sorted_and_filtered(table, items, whole)]
    for pool in pools:
        parts = [list(map(json.loads, named)) async for _, named in Lists(pool).walk(table, whole, at_once=2)]
        assert [row[0] for named in parts for rows in named for row in rows] == expected
        assert all(sum(map(len, named)) <= view.size for named in parts)
        assert all(len(rows) <= 2 for named in parts for rows in named)
    for field in (name for name, kind in table.entity.filtered.items() if kind == "value"):
        await check_choices(table, items, field, view, pools)


async def check_choices(
    table: EntityTable, items: list[dict[str, Any]], field: str, view: ListView, pools: list[Pool]
) -> None:
    one, other = [await load_choices(pool, table, field, view) for pool in pools]
    assert one == other
    assert one.json
    found = [(choice["value"], choice["count"]) for choice in json.loads(one.json)["choices"]]
    assert found == choices_of(table, items, field, view)
    elsewhere = replace(view, q_in_list=not view.q_in_list)
    sought = await load_choices(pools[0], table, field, elsewhere, known_etags=[one.etag])
    assert bool(sought.json) == bool(sought_in(view.q))  # looked for elsewhere it is another answer
