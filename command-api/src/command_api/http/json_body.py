"""Reading JSON strictly: what is stored must be readable by every JSON reader there is (RFC 7493)."""

import json
import math
import re
from typing import Any, Final, NoReturn

from command_api.domain.json_values import MAX_NUMBER
from ops.base.problems import Problem, ValidationError, validation_failed

MAX_BYTES: Final = 256 * 1024
MAX_NESTING: Final = 64  # of the body as a whole; free-form objects have a lower bound of their own

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class _Unreadable(ValueError):
    """Carries the message for the client out of the JSON reader's hooks."""


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Problem: 422; it is not JSON, not an object, or JSON that some reader could not read: NaN, infinities,
            integers beyond 53 bits, NUL, lone surrogates, duplicate names, deep nesting.
    """
    try:
        text = raw.decode("utf-8")
        _check_nesting(text)
        value = json.loads(
            text,
            object_pairs_hook=_unique_names,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_safe_integer,
        )
        if "\\u" in text:  # unescaped, neither can occur in what has been decoded
            _check_text(value)
    except UnicodeDecodeError:
        raise _invalid("The body must be UTF-8") from None
    except _Unreadable as error:
        raise _invalid(str(error)) from None
    except ValueError:
        raise _invalid("The body is not JSON") from None
    if not isinstance(value, dict):
        raise _invalid("The body must be a JSON object")
    return value


def _invalid(message: str) -> Problem:
    return validation_failed([ValidationError.at(message=message)])


def _check_nesting(text: str) -> None:
    # Before parsing, for the parser is recursive.
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_NESTING:
            raise _Unreadable("The body is nested too deeply")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unreadable("A name appears twice in one object")
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise _Unreadable("NaN and infinities are not JSON")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Unreadable("A number is out of range")
    return number


def _safe_integer(text: str) -> int:
    if len(text) > 17 or abs(number := int(text)) > MAX_NUMBER:
        raise _Unreadable("A number is out of range")
    return number


def _check_text(value: Any) -> None:
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise _Unreadable("Text must not contain NUL or lone surrogates")
    elif isinstance(value, list):
        for item in value:
            _check_text(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name)
            _check_text(item)
