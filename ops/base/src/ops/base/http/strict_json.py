"""Strict parsing of untrusted JSON."""

import json
import math
from functools import cache, partial
from typing import Any, Final, NoReturn

from ops.base.records.json_values import nested_at_most

_LONGEST_INTEGER: Final = 21  # characters: 64 bits, with a sign
_MAX_64_BITS: Final = 2**64 - 1


class UnreadableJson(ValueError):
    """Malformed JSON; the message quotes no input, so it may be shown."""


def parse_object(raw: bytes, *, max_nesting: int, max_integer: int = _MAX_64_BITS) -> dict[str, Any]:
    """Read a JSON object.

    Args:
        raw: UTF-8 JSON.
        max_nesting: how deep objects and arrays may be nested, the object itself included.
        max_integer: the greatest number without a fraction, in either direction.

    Raises:
        UnreadableJson: it is not JSON, not an object, or JSON that not every reader takes (RFC 7493): nested
            too deeply, a name twice in one object, NaN, an infinity, an integer that is too great.
    """
    try:
        value = _decoder(max_integer).decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise UnreadableJson("The body must be UTF-8") from None
    except json.JSONDecodeError:
        raise UnreadableJson("The body is not JSON") from None
    except RecursionError:  # the parser counts its own depth, and gives up long before its stack ends
        raise UnreadableJson("The body is nested too deeply") from None
    if not isinstance(value, dict):
        raise UnreadableJson("The body must be a JSON object")
    if raw.count(b"[") + raw.count(b"{") > max_nesting and not nested_at_most(value, max_nesting):
        raise UnreadableJson("The body is nested too deeply")
    return value


@cache
def _decoder(max_integer: int) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=unique_names,
        parse_constant=_refuse_constant,
        parse_float=_finite_float,
        parse_int=partial(_integer, greatest=max_integer),
    )


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; refuse repeated names, which parsers read differently."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise UnreadableJson("A name appears twice in one object")
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise UnreadableJson("NaN and infinities are not JSON")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise UnreadableJson("A number is out of range")
    return number


def _integer(text: str, greatest: int) -> int:
    if len(text) > _LONGEST_INTEGER or abs(number := int(text)) > greatest:
        raise UnreadableJson("A number is out of range")
    return number
