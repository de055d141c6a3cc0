"""What a list may be sorted by and searched for, and the texts that say it of a row, made when it is written.

What is found and which comes first means the same to browsers, which search and sort short lists themselves
(`frontend/src/shared/table`: `search.ts`, `order.ts`; `test_one_meaning` holds one against the other).
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
from projections.tables import EntityTable

Kind = Literal["text", "number"]
"""How values are compared. Dates and times are texts that sort as what they stand for."""

_KINDS: Final[Mapping[str, Kind]] = {"string": "text", "number": "number"}

KEY_END: Final = "\n"
"""Between the sort keys of a row. No folded text has it, nor any other control character."""
SECTION_ENDS: Final = ("\x02", "\x03", "\x04")
"""In a search text, behind its sections: of what the list's own search looks through, what everybody may
search, and the personal; then the same of the rest."""

_ACCENTS: Final = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))
_CONTROLS: Final = ((0, 0x1F), (0x7F, 0x9F))


def _each(ranges: Iterable[tuple[int, int]]) -> Iterable[int]:
    return (letter for first, last in ranges for letter in range(first, last + 1))


_FOLDED: Final = {
    **dict.fromkeys(_each(_ACCENTS), ""),  # they stand behind their letters
    0xFEFF: "",  # what some programs begin a text with
    **dict.fromkeys(_each(_CONTROLS), " "),
    # Letters that keyboards elsewhere write as others.
    **str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d"}),
    **str.maketrans({"þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "ς": "σ"}),  # noqa: RUF001
}
_TOGETHER: Final = 500
"""Characters that are normalised together: as many as a short field has."""
_UNUSUAL: Final = re.compile(r"[^\n\x20-\x7e]")
_RUN_OF_DIGITS: Final = re.compile("([0-9]+)")
_MANY: Final = 9
"""More digits than one digit can tell."""
_NOT_A_DIGIT: Final = re.compile("[^0-9]")
_PHONE: Final = re.compile(
    r"(?m)^[ \u00a0\u202f()+./\u2010-\u2013-]*[0-9][0-9 \u00a0\u202f()+./\u2010-\u2013-]*$"
)
"""A text, or a line, that is nothing but a number."""


class _ByValue(dict[str, str]):
    """Runs of digits as they are sorted: behind how many they are, without the zeros in front.

    These only tell equal values apart. Short runs, such as days have, are kept.
    """

    def __missing__(self, run: str) -> str:
        digits = run.lstrip("0") or "0"
        count = str(len(digits))
        counted = count if len(digits) < _MANY else f"{_MANY}{self[count]}"
        value = counted + digits + "\x01" * (len(run) - len(digits))
        if len(run) < _KEPT:
            self[run] = value
        return value


_KEPT: Final = 5
_BY_VALUE: Final = _ByValue()


@cache
def sortable_fields(entity: EntityType) -> Mapping[str, Kind]:
    """Return the fields of a list's items that hold single values, in the order of their sort keys."""
    properties = entity.list_schema["properties"]
    kinds = {name: _kind(schema) for name, schema in properties.items()}
    return {name: kind for name, kind in kinds.items() if kind}


def folded(text: str) -> str:
    """Return a text without case and accents, line ends, and whatever else is unseen."""
    if text.isascii() and text.isprintable():
        return text.lower()
    # Normalising takes a time that grows with the square of how many accents follow each other.
    parts = (text[start : start + _TOGETHER] for start in range(0, len(text), _TOGETHER))
    return "".join(unicodedata.normalize("NFD", part) for part in parts).lower().translate(_FOLDED)


def sought_in(search: str) -> list[str]:
    """Return what is looked for where somebody searches: any of these texts; none where nothing is.

    Digits also find numbers that are written with other spaces, brackets or dashes.
    """
    text = folded(search).strip()
    return list(dict.fromkeys(wanted for wanted in (text, *_numbers(text)) if wanted))


def search_text(table: EntityTable, item: Mapping[str, Any]) -> str:
    """Return in what a search looks for a row.

    Its searched fields, folded, and the digits of those that are nothing but a number, a line each, in
    sections (`SECTION_ENDS`).

    Args:
        table: of which table.
        item: the row as lists show it.
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
    """Return by what a row is sorted: a key for each of `sortable_fields`, empty where there is no value."""
    fields = sortable_fields(table.entity).items()
    keys = _sorted_by(_lines([_text(item[name]) if kind == "text" else "" for name, kind in fields]))
    if all(kind == "text" for _, kind in fields):
        return keys
    numbers = [_number(item[name]) if kind == "number" else "" for name, kind in fields]
    return KEY_END.join(map(str.__add__, keys.split(KEY_END), numbers))


def key_of(text: str) -> str:
    """Return by what a text is sorted, by code points: folded, and with runs of digits that compare by value.

    Two texts have the same key only if they fold to the same text.
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
    """Return texts, folded, a line each."""
    lines = "\n".join(texts)
    if lines.count("\n") < len(texts) and not _UNUSUAL.search(lines):
        return lines.lower()  # so are most
    return "\n".join(map(folded, texts))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json_bytes(value).decode()


def _number(value: Any) -> str:
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _kind(schema: Mapping[str, Any]) -> Kind | None:
    types = schema.get("type", "string")  # where none is said it may be anything, and counts if it is a text
    single = {types} if isinstance(types, str) else set(types) - {"null"}
    return _KINDS.get(single.pop()) if len(single) == 1 else None
