"""What a list is narrowed to beside a search: to values of a field, or to days, as fields declare it."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal

from psycopg import sql
from pydantic import Field, PlainValidator

from projections.tables import EntityTable
from projections.tables.search_terms import KEY_END, folded, key_of, sortable_fields
from query_api.http.parameters import BadParameter, parameter

_KEY: Final = sql.SQL("split_part(sort_keys, {end}, {number})")
_VALUE: Final = sql.SQL("nullif({}, '')")

WALKED: Final[Mapping[str, Collection[str]]] = {"drivers": ["name"]}
"""By which fields an index has all rows in order: ascending, those without a value last (migration 0032)."""


def key_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the key that a search table's row has of a field, empty where there is no value.

    An index of it has it in these words.
    """
    number = list(sortable_fields(table.entity)).index(name) + 1
    return _KEY.format(end=sql.Literal(KEY_END), number=sql.Literal(number))


def value_sql(table: EntityTable, name: str) -> sql.Composable:
    """Return SQL of the value that rows are sorted by, null where there is none; an index has it so, too."""
    return typed(table, name, _VALUE.format(key_sql(table, name)))


def typed(table: EntityTable, name: str, key: sql.Composable) -> sql.Composable:
    """Return SQL of what a field's key is compared as."""
    return sql.SQL("{}::numeric").format(key) if sortable_fields(table.entity)[name] == "number" else key


Filters = tuple[tuple[str, tuple[str, ...]], ...]
"""What is asked of fields, by their names: to have any of some values, or to be among all of some days."""
Asked = tuple[tuple[str, Literal["value", "days"], tuple[bool, ...]], ...]
"""Of which fields, and how, on which a statement depends. Of spans of days: whether all others are meant."""

MOST_VALUES: Final = 50
MOST_SPANS: Final = 4
MAX_VALUE: Final = 500
"""Characters."""

_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SPAN: Final = re.compile(rf"(!?)(?:({_DAY})\.\.({_DAY})?|\.\.({_DAY}))", re.ASCII)
FIRST_DAY: Final = "0000-01-01"
_LAST_DAY: Final = "9999-12-31"

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "value": "Only rows that have this value, without regard to case and accents; given several times: any"
    " of these. An empty one is no row's",
    "days": "Only rows whose day is from the one to the other, both included, of which one may be missing;"
    " after `!` only all other rows. Given several times: all of that",
}
EXAMPLES: Final[Mapping[str, str]] = {"days": "2026-11-21..2026-12-21"}


def _several(most: int, check: Callable[[str], object], described: Any) -> PlainValidator:
    def read(texts: list[str]) -> frozenset[str]:
        if len(texts) > most:
            raise BadParameter(f"May be given {most} times at most")
        for text in texts:
            check(text)
        return frozenset(texts)

    return parameter(read, Annotated[list[described], Field(max_length=most)])


def _value(text: str) -> None:
    if len(text) > MAX_VALUE:
        raise BadParameter(f"Must be at most {MAX_VALUE} characters")


def _span(text: str) -> tuple[bool, str, str]:
    """Return whether all others are meant, and the first and the last day."""
    try:
        if found := _SPAN.fullmatch(text):
            others, first, *last = found.groups()
            for day in filter(None, (first, *last)):
                date.fromisoformat(day)
            return others == "!", first or FIRST_DAY, last[0] or last[1] or _LAST_DAY
    except ValueError:
        pass
    raise BadParameter("Must be days as YYYY-MM-DD..YYYY-MM-DD, of which one may be missing, or ! and such")


READERS: Final[Mapping[str, PlainValidator]] = {
    "value": _several(MOST_VALUES, _value, Annotated[str, Field(max_length=MAX_VALUE)]),
    "days": _several(MOST_SPANS, _span, Annotated[str, Field(pattern=f"^{_SPAN.pattern}$")]),
}
"""Read what is asked of a field, by kinds of filters."""


def asked_of(table: EntityTable, filters: Filters) -> Asked:
    """Return what a statement depends on."""
    return tuple(
        (name, "value", ())
        if table.entity.filtered[name] == "value"
        else (name, "days", tuple(_span(text)[0] for text in texts))
        for name, texts in filters
    )


def filter_conditions(table: EntityTable, asked: Asked) -> Iterator[sql.Composable]:
    """Yield SQL of what rows of the search terms must fulfil, with the parameters of `filter_parameters`."""
    for name, kind, spans in asked:
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
        if table.entity.filtered[name] == "value":
            parameters[of] = [key_of(text) for text in texts if folded(text)]
            continue
        for number, (_, first, last) in enumerate(map(_span, texts)):
            parameters |= {f"{of}_from{number}": key_of(first), f"{of}_to{number}": key_of(last)}
    return parameters
