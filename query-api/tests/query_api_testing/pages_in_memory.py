"""A list's page without a database, as a few lines of Python say it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ops.base.records.entities import value_at
from ops.base.records.json_values import to_json
from ops.base.records.masks import masked_record
from projections.tables import EntityTable
from projections.tables.search_terms import folded, key_of, sortable_fields, sought_in
from query_api.http.representation import Content
from query_api.paging.choices import Choices, choices_content
from query_api.paging.view import View


def page_of(table: EntityTable, items: list[dict[str, Any]], view: View) -> str:
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


def sorted_and_filtered(table: EntityTable, items: list[dict[str, Any]], view: View) -> list[dict[str, Any]]:
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
    table: EntityTable, items: list[dict[str, Any]], field: str, view: View
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


class ChoicesInMemory(Choices):
    """Tells what lists can be narrowed to that are told of."""

    def __init__(self, items: Callable[[EntityTable], Iterable[dict[str, Any]]]) -> None:
        self._items = items

    async def of(
        self, table: EntityTable, field: str, view: View, *, known_etags: Collection[str] = ()
    ) -> Content:
        """See `Choices`."""
        found = choices_of(table, [*self._items(table)], field, view)
        etag = f'"{hash(tuple(found)):x}"'
        if etag in known_etags:
            return Content(etag, None, stale=False)
        return choices_content(
            etag, [value for value, _ in found], [count for _, count in found], stale=False
        )


def _has(table: EntityTable, item: dict[str, Any], view: View) -> bool:
    shown = masked_record(table.entity, item) if view.masked else item
    searched = table.entity.searched_in_list if view.q_in_list else table.entity.searched
    values = [value_at(shown, path) for path in searched]
    texts = [folded(_text(value)) for value in values if value is not None]
    looked_at = [one for text in texts for one in (text, *sought_in(text))]  # those of numbers as well
    return not view.sought or any(wanted in text for wanted in view.sought for text in looked_at)


def _passes(table: EntityTable, item: dict[str, Any], name: str, asked: Sequence[str]) -> bool:
    """Tell whether a row has any of some values, or is among all of some days."""
    value = item[name]
    if table.entity.filtered[name] == "value":
        return bool(folded(value or "")) and folded(value) in map(folded, asked)
    return all(_is_among(value or "", span) for span in asked)


def _is_among(day: str, span: str) -> bool:
    first, _, last = span.removeprefix("!").partition("..")
    return (day != "" and (first or "0000") <= day <= (last or "9999-12-31")) != span.startswith("!")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)
