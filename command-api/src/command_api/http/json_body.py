"""Reading JSON strictly: what is stored must be readable by every JSON reader there is (RFC 7493)."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from command_api.domain.json_values import MAX_NUMBER
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.http.strict_json import UnreadableJson
from ops.base.http.strict_json import parse_object as parse_strictly
from ops.base.records.control_characters import has_controls, without_controls

MAX_BYTES: Final = 256 * 1024
_MOST_ERRORS: Final = 100
_LONGEST_NAME_SHOWN: Final = 64
MAX_NESTING: Final = 64  # of the body as a whole; free-form objects have a lower bound of their own

_SURROGATE = re.compile("[\ud800-\udfff]")
# In UTF-8 JSON, surrogates and most control characters must be escaped; the others have these bytes.
_SUSPICIOUS = re.compile(rb"\\[ubf]|\x7f|\xc2[\x80-\x9f]")


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Problem: 422; it is not JSON, not an object, or JSON that some reader could not read: NaN, infinities,
            integers beyond 53 bits, lone surrogates, duplicate names, deep nesting. Or a text in it has
            control characters other than tabs and line ends.
    """
    try:
        value = parse_strictly(raw, max_nesting=MAX_NESTING, max_integer=MAX_NUMBER)
    except UnreadableJson as error:
        raise validation_failed([ValidationError.at(message=str(error))]) from None
    if _SUSPICIOUS.search(raw):
        errors = [ValidationError.at(*path, message=message) for path, message in _bad_texts(value)]
        if errors:
            raise validation_failed(errors[:_MOST_ERRORS])
    return value


def _bad_texts(value: Any, *path: str | int) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield where texts are that cannot be stored, and what is wrong with each."""
    if isinstance(value, str):
        if has_controls(value):
            yield path, "Must not contain control characters"
        elif _SURROGATE.search(value):
            yield path, "Must not contain lone surrogates"
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _bad_texts(item, *path, place)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _bad_texts(name, *path)
            yield from _bad_texts(item, *path, without_controls(name)[:_LONGEST_NAME_SHOWN])
