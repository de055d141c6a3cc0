"""What a list may be sorted by and searched for, and the texts that say it of a row, made when it is written.

Case is folded here, for rows and for what is asked, so it means the same on every server.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal

from ops.base.entities import EntityType, value_at
from ops.base.json_values import json_bytes
from projections.tables import EntityTable

Kind = Literal["text", "number"]
"""How values are compared. Dates and times are texts that sort as what they stand for."""

_KINDS: Final[Mapping[str, Kind]] = {"string": "text", "number": "number"}

KEY_END: Final = "\x01\x01"
"""Between the sort keys of a row."""
_KEY_BEGIN: Final = "="
"""Before a text, so that an empty one is told from none. Numbers have none."""
_KEY_ESCAPED: Final = ("\x01", "\x01\x02")  # sorts as what it stands for

# What a column of text cannot hold. No client can have sent one.
_NUL: Final = ("\0", "\N{REPLACEMENT CHARACTER}")


@cache
def sortable_fields(entity: EntityType) -> Mapping[str, Kind]:
    """Return the fields of a list's items that hold single values, in their order."""
    properties = entity.list_schema["properties"]
    kinds = {name: _kind(schema) for name, schema in properties.items()}
    return {name: kind for name, kind in kinds.items() if kind}


@cache
def keyed_fields(entity: EntityType) -> Mapping[str, Kind]:
    """Return the fields whose sort keys a row has, in their order: all but the id, which has a column."""
    return {name: kind for name, kind in sortable_fields(entity).items() if name != "id"}


def folded(text: str) -> str:
    """Return a text without regard to case: one letter for one letter, whatever stands beside it."""
    if not text.isascii():
        text = text.replace("İ", "i").replace("Σ", "σ")  # noqa: RUF001 - letters of their own
    return text.lower()


def search_text(table: EntityTable, item: Mapping[str, Any]) -> str:
    """Return in what a search looks for a row: its searched fields, folded, a line each.

    Args:
        table: of which table.
        item: the row as lists show it.
    """
    values = [value_at(item, path) for path in table.entity.searched]
    return folded("\n".join([_text(value) for value in values if value is not None])).replace(*_NUL)


def sort_keys(table: EntityTable, item: Mapping[str, Any]) -> str:
    """Return by what a row is sorted: a key for each of `keyed_fields`, empty where there is no value."""
    keys = [
        # As `_key` has it, without the call: so are most.
        _KEY_BEGIN + value
        if kind == "text" and isinstance(value := item[name], str) and "\x01" not in value
        else _key(item[name], kind)
        for name, kind in keyed_fields(table.entity).items()
    ]
    return folded(KEY_END.join(keys)).replace(*_NUL)


def key_of(text: str) -> str:
    """Return the sort key that rows have with a text: the same for all that are equal once folded."""
    return folded(_key(text, "text")).replace(*_NUL)


def _key(value: Any, kind: Kind) -> str:
    if value is None:
        return ""
    if kind == "number":
        return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
    text = value if isinstance(value, str) else _text(value)
    return _KEY_BEGIN + (text.replace(*_KEY_ESCAPED) if "\x01" in text else text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_bytes(value).decode()


def _kind(schema: Mapping[str, Any]) -> Kind | None:
    types = schema.get("type", "string")  # where none is said it may be anything, and counts if it is a text
    single = {types} if isinstance(types, str) else set(types) - {"null"}
    return _KINDS.get(single.pop()) if len(single) == 1 else None
