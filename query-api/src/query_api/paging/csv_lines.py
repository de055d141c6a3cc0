"""List items as comma-separated values, with the texts that the frontend shows (`shared/table/csv`)."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ops.base.records.csv_lines import csv_lines
from ops.base.records.entities import NOT_DETAILS, EntityType, value_at
from ops.base.records.masks import ERASED, MASKED

MEDIA_TYPE: Final = "text/csv; charset=utf-8"
BEGIN: Final = "\ufeff"
"""Byte order mark: marks the text as UTF-8 for spreadsheets."""
_WORDS: Final = {MASKED: "Hidden", ERASED: "Erased"}
_MINUTE: Final = len("2026-11-21T04:10")


def columns_of(entity: EntityType) -> tuple[str, ...]:
    """Return the allowed columns: fields of the list's items, and members of declared objects in them."""
    properties = entity.list_schema["properties"]
    members = (f"{name}.{member}" for name, of in properties.items() for member in of.get("properties", ()))
    return (*properties, *members)


def lines_of(columns: Sequence[str], items: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the CSV lines of a list's items."""
    # Other moments stay complete, with their time zone, for imports.
    moments = NOT_DETAILS.intersection(columns) - {"id"}
    return csv_lines(
        [_text(item, column, is_moment=column in moments) for column in columns] for item in items
    ).encode()


def _text(item: Mapping[str, Any], column: str, *, is_moment: bool) -> str:
    for member, word in _WORDS.items():
        if member in item and column.partition(".")[0] in item[member]:
            return word
    value = value_at(item, column)
    if isinstance(value, str):
        return value[:_MINUTE] if is_moment else value
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return _number(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _number(value: float) -> str:
    """Return a number as JavaScript formats it."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent):+d}"
