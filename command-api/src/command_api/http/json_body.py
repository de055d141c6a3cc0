"""Reading JSON strictly: what is stored must be readable by every JSON reader there is (RFC 7493)."""

import re
from typing import Any, Final

from command_api.domain.json_values import MAX_NUMBER
from ops.base.problems import ValidationError, validation_failed
from ops.base.strict_json import UnreadableJson
from ops.base.strict_json import parse_object as parse_strictly

MAX_BYTES: Final = 256 * 1024
MAX_NESTING: Final = 64  # of the body as a whole; free-form objects have a lower bound of their own

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Problem: 422; it is not JSON, not an object, or JSON that some reader could not read: NaN, infinities,
            integers beyond 53 bits, NUL, lone surrogates, duplicate names, deep nesting.
    """
    try:
        value = parse_strictly(raw, max_nesting=MAX_NESTING, max_integer=MAX_NUMBER)
        if b"\\u" in raw:  # unescaped, neither can occur in UTF-8 JSON
            _check_text(value)
    except UnreadableJson as error:
        raise validation_failed([ValidationError.at(message=str(error))]) from None
    return value


def _check_text(value: Any) -> None:
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise UnreadableJson("Text must not contain NUL or lone surrogates")
    elif isinstance(value, list):
        for item in value:
            _check_text(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name)
            _check_text(item)
