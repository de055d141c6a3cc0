"""Filters of lists by value or by days, as entity types declare them, and their SQL."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal

from psycopg import sql
from pydantic import Field, PlainValidator

from query_api.http.parameters import BadParameter, parameter
from read_model.tables import EntityTable
from read_model.tables.search_terms import KEY_END, folded, key_of, sortable_fields

_KEY: Final = sql.SQL("split_part(sort_keys, {end}, {number})")
_VALUE: Final = sql.SQL("nullif({}, '')")

INDEXED_ORDERS: Final[Mapping[str, Collection[str]]] = {"drivers": ["name"]}
"""Fields with an index of all rows in ascending order, those without a value last."""


def key_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of a field's sort key in the search table, empty if the field has no value.

    Indexes have the same expression.
    """
    number = list(sortable_fields(table.entity)).index(name) + 1
    return _KEY.format(end=sql.Literal(KEY_END), number=sql.Literal(number))


def value_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the value that rows are sorted by, or null; indexes have the same expression."""
    return typed(table, name, _VALUE.format(key_sql(table, name)))


def typed(table: EntityTable, name: str, key: sql.Composable) -> sql.Composable:
    """Return SQL of a field's key with the type that it is compared as."""
    return sql.SQL("{}::numeric").format(key) if sortable_fields(table.entity)[name] == "number" else key


Filters = tuple[tuple[str, tuple[str, ...]], ...]
"""Texts of each filtered field: any of several values, or all of several spans of days; `EXCEPT`: none."""
EXCEPT: Final = "id"
"""The filter that excludes records by their ids."""
FilterShapes = tuple[tuple[str, Literal["value", "days", "except"], tuple[bool, ...]], ...]
"""The part of the filters that a statement depends on: fields, kinds, and whether each span is negated."""

MOST_VALUES: Final = 50
MOST_SPANS: Final = 4
MAX_VALUE: Final = 500
"""Longest value in characters."""

_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SPAN: Final = re.compile(rf"(!?)(?:({_DAY})\.\.({_DAY})?|\.\.({_DAY}))", re.ASCII)
FIRST_DAY: Final = "0000-01-01"
_LAST_DAY: Final = "9999-12-31"

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "value": "Only rows with this value, ignoring case and accents; if repeated, rows with any of the values."
    " An empty value matches no row",
    "days": "Only rows whose day is in this span, including both ends; either may be left out; `!`"
    " selects all other rows. If repeated, all must apply",
}
EXAMPLES: Final[Mapping[str, str]] = {"days": "2026-11-21..2026-12-21"}


def _several(most: int, check: Callable[[str], object], described: Any) -> PlainValidator:
    def read(texts: list[str]) -> frozenset[str]:
        if len(texts) > most:
            raise BadParameter(f"May be given at most {most} times")
        for text in texts:
            check(text)
        return frozenset(texts)

    return parameter(read, Annotated[list[described], Field(max_length=most)])


def _value(text: str) -> None:
    if len(text) > MAX_VALUE:
        raise BadParameter(f"Must be at most {MAX_VALUE} characters")


def _span(text: str) -> tuple[bool, str, str]:
    """Return whether the span is negated, and its first and last day."""
    try:
        if found := _SPAN.fullmatch(text):
            others, first, *last = found.groups()
            for day in filter(None, (first, *last)):
                date.fromisoformat(day)
            return others == "!", first or FIRST_DAY, last[0] or last[1] or _LAST_DAY
    except ValueError:
        pass
    raise BadParameter("Must be a span of days such as 2026-11-21..2026-12-21, 2026-11-21.. or !..2026-12-21")


READERS: Final[Mapping[str, PlainValidator]] = {
    "value": _several(MOST_VALUES, _value, Annotated[str, Field(max_length=MAX_VALUE)]),
    "days": _several(MOST_SPANS, _span, Annotated[str, Field(pattern=f"^{_SPAN.pattern}$")]),
}
"""Validators of filters, by kind."""


def filter_shapes(table: EntityTable, filters: Filters) -> FilterShapes:
    """Return the shapes of filters."""
    return tuple(
        (name, "except", ())
        if name == EXCEPT
        else (name, "value", ())
        if table.entity.filtered[name] == "value"
        else (name, "days", tuple(_span(text)[0] for text in texts))
        for name, texts in filters
    )


def filter_conditions(table: EntityTable, shapes: FilterShapes) -> Iterator[sql.Composable]:
    """Yield SQL conditions on the search table, with the parameters of `filter_parameters`."""
    for name, kind, spans in shapes:
        if kind == "except":
            yield sql.SQL("id <> ALL ({}::text[])").format(sql.Placeholder(f"only_{name}"))
            continue
        key, of = key_sql(table, name), f"only_{name}"
        if kind == "value":
            yield sql.SQL("{} = ANY ({}::text[])").format(key, sql.Placeholder(of))
        for number, others in enumerate(spans):
            ends = [sql.Placeholder(f"{of}_{end}{number}") for end in ("from", "to")]
            yield sql.SQL("{} {} {} AND {}").format(key, _BETWEEN[others], *ends)


_BETWEEN: Final = {False: sql.SQL("BETWEEN"), True: sql.SQL("NOT BETWEEN")}


def filter_parameters(table: EntityTable, filters: Filters) -> dict[str, Any]:
    """Return the parameters of `filter_conditions`."""
    parameters: dict[str, Any] = {}
    for name, texts in filters:
        of = f"only_{name}"
        if name == EXCEPT:
            parameters[of] = list(texts)
            continue
        if table.entity.filtered[name] == "value":
            parameters[of] = [key_of(text) for text in texts if folded(text)]
            continue
        for number, (_, first, last) in enumerate(map(_span, texts)):
            parameters |= {f"{of}_from{number}": key_of(first), f"{of}_to{number}": key_of(last)}
    return parameters
