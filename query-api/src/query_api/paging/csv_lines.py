"""Rows of lists as comma-separated values, with the texts that browsers show (`shared/table/csv`)."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ops.base.records.csv_lines import csv_lines
from ops.base.records.entities import EntityType, value_at
from ops.base.records.masks import ERASED, MASKED

MEDIA_TYPE: Final = "text/csv; charset=utf-8"
BEGIN: Final = "\ufeff"
"""Tells spreadsheets that the text is UTF-8."""
_WORDS: Final = {MASKED: "Hidden", ERASED: "Erased"}
_MINUTE: Final = len("2026-11-21T04:10")


def columns_of(entity: EntityType) -> tuple[str, ...]:
    """Return what can be a column: what a list's items have, and what is in their declared members."""
    properties = entity.list_schema["properties"]
    members = (f"{name}.{member}" for name, of in properties.items() for member in of.get("properties", ()))
    return (*properties, *members)


def lines_of(entity: EntityType, columns: Sequence[str], items: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a list's items as lines.

    Args:
        entity: of which type.
        columns: where in an item each cell's value is.
        items: as lists show them.
    """
    properties = entity.list_schema["properties"]
    places = [(column, properties.get(column, {}).get("format") == "date-time") for column in columns]
    return csv_lines([_text(item, *place) for place in places] for item in items).encode()


def _text(item: Mapping[str, Any], column: str, is_moment: bool) -> str:  # noqa: FBT001 - a place's part
    for why, word in _WORDS.items():
        if why in item and column.partition(".")[0] in item[why]:
            return word
    value = value_at(item, column)
    if isinstance(value, str):
        return value[:_MINUTE] if is_moment else value
    return _number(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _number(value: float) -> str:
    """Return a number as a browser writes it."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent):+d}"
