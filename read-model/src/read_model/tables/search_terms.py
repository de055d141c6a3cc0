"""Search texts and sort keys of a row, computed when the row is written.

Browsers search and sort short lists themselves by the same rules (`frontend/src/shared/table`: `search.ts`,
`order.ts`); `test_one_meaning` compares the two implementations.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal

from ops.base.records.entities import EntityType, value_at
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import is_personal
from read_model.tables import EntityTable

Kind = Literal["text", "number"]
"""How values are compared. Dates and times are texts whose order is that of their values."""

_KINDS: Final[Mapping[str, Kind]] = {"string": "text", "number": "number", "integer": "number"}

KEY_END: Final = "\n"
"""Separates the sort keys of a row; folded texts contain no control characters."""
SECTION_ENDS: Final = ("\x02", "\x03", "\x04")
"""Ends of the sections of a search text: non-personal and personal fields of the list's own search, then
non-personal fields of the extended search; the personal ones follow."""

_ACCENTS: Final = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))
_CONTROLS: Final = ((0, 0x1F), (0x7F, 0x9F))
_INVISIBLE: Final = (
    *((0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
    *((0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0001, 0xE0001), (0xE0020, 0xE007F)),
)
"""Zero-width and soft characters, marks of direction, and tags: `frontend/src/shared/format/controls.ts`."""


def _each(ranges: Iterable[tuple[int, int]]) -> Iterable[int]:
    return (letter for first, last in ranges for letter in range(first, last + 1))


_FOLDED: Final = {
    **dict.fromkeys(_each(_ACCENTS), ""),  # combining characters after their letters
    **dict.fromkeys(_each(_INVISIBLE), ""),
    **dict.fromkeys(_each(_CONTROLS), " "),
    # Letters that other keyboards lack.
    **str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d"}),
    **str.maketrans({"þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "ς": "σ"}),  # noqa: RUF001
}
_TOGETHER: Final = 500
"""Characters that are normalised at once, about the length of a short field."""
_UNUSUAL: Final = re.compile(r"[^\n\x20-\x7e]")
_RUN_OF_DIGITS: Final = re.compile("([0-9]+)")
_MANY: Final = 9
"""Lengths from here on need more than one digit."""
_NOT_A_DIGIT: Final = re.compile("[^0-9]")
_PHONE: Final = re.compile(
    r"(?m)^[ \u00a0\u202f()+./\u2010-\u2013-]*[0-9][0-9 \u00a0\u202f()+./\u2010-\u2013-]*$"
)
"""A text, or a line, that consists of a phone number."""


class _ByValue(dict[str, str]):
    """Sort keys of runs of digits: the length, then the digits without leading zeros, which only break ties.

    Keys of short runs, such as those of dates, are cached.
    """

    def __missing__(self, run: str) -> str:
        digits = run.lstrip("0") or "0"
        count = str(len(digits))
        counted = count if len(digits) < _MANY else f"{_MANY}{self[count]}"
        value = counted + digits + "\x01" * (len(run) - len(digits))
        if len(run) < _CACHED:
            self[run] = value
        return value


_CACHED: Final = 5
_BY_VALUE: Final = _ByValue()


@cache
def sortable_fields(entity: EntityType) -> Mapping[str, Kind]:
    """Return the fields of list items that have single values, in the order of their sort keys."""
    properties = entity.list_schema["properties"]
    kinds = {name: _kind(schema) for name, schema in properties.items()}
    return {name: kind for name, kind in kinds.items() if kind}


def folded(text: str) -> str:
    """Return a text in lower case, without accents, line ends and other invisible characters."""
    if text.isascii() and text.isprintable():
        return text.lower()
    # The time of normalisation grows with the square of the number of consecutive accents.
    parts = (text[start : start + _TOGETHER] for start in range(0, len(text), _TOGETHER))
    return "".join(unicodedata.normalize("NFD", part) for part in parts).lower().translate(_FOLDED)


def sought_in(search: str) -> list[str]:
    """Return the alternatives of a search: a match contains at least one; empty for a blank search.

    Digits also match numbers with other spaces, brackets or dashes.
    """
    text = folded(search).strip()
    return list(dict.fromkeys(wanted for wanted in (text, *_numbers(text)) if wanted))


def search_text(table: EntityTable, item: Mapping[str, Any]) -> str:
    """Return the text in which searches find a row.

    It contains the folded searched fields of the list item, and the digits of those that are phone numbers,
    each in a line, in sections (`SECTION_ENDS`).
    """
    sections = [
        _with_digits(_lines([text for path in paths if (text := _text(value_at(item, path)))]))
        if paths
        else ""
        for paths in _sections(table.entity)
    ]
    return "".join(map(str.__add__, sections, (*SECTION_ENDS, "")))


@cache
def _sections(entity: EntityType) -> Sequence[Sequence[str]]:
    """Return the fields of each section of a search text."""
    return [
        [
            path
            for path in entity.searched
            if (path in entity.searched_in_list) == in_list and is_personal(entity, path) == personal
        ]
        for in_list in (True, False)
        for personal in (False, True)
    ]


def sort_keys(table: EntityTable, item: Mapping[str, Any]) -> str:
    """Return the sort keys of a row: one for each of `sortable_fields`, empty without a value."""
    fields = sortable_fields(table.entity).items()
    keys = _sorted_by(_lines([_text(item[name]) if kind == "text" else "" for name, kind in fields]))
    if all(kind == "text" for _, kind in fields):
        return keys
    numbers = [_number(item[name]) if kind == "number" else "" for name, kind in fields]
    return KEY_END.join(map(str.__add__, keys.split(KEY_END), numbers))


def key_of(text: str) -> str:
    """Return a text's sort key, compared by code points: folded, with runs of digits ordered by value.

    Two texts have equal keys only if they fold to the same text.
    """
    return _sorted_by(folded(text))


def _sorted_by(folded_text: str) -> str:
    parts = _RUN_OF_DIGITS.split(folded_text)
    parts[1::2] = map(_BY_VALUE.__getitem__, parts[1::2])
    return "".join(parts)


def _with_digits(lines: str) -> str:
    return "\n".join([lines, *_numbers(lines)])


def _numbers(lines: str) -> list[str]:
    return [_NOT_A_DIGIT.sub("", number) for number in _PHONE.findall(lines)]


def _lines(texts: Sequence[str]) -> str:
    """Return the folded texts, each in a line."""
    lines = "\n".join(texts)
    if lines.count("\n") < len(texts) and not _UNUSUAL.search(lines):
        return lines.lower()  # the common case
    return "\n".join(map(folded, texts))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json_bytes(value).decode()


def _number(value: Any) -> str:
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _kind(schema: Mapping[str, Any]) -> Kind | None:
    types = schema.get("type", "string")  # a schema without a type allows any value; texts are sorted
    single = {types} if isinstance(types, str) else set(types) - {"null"}
    return _KINDS.get(single.pop()) if len(single) == 1 else None
