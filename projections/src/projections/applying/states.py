"""The JSON text of what is kept and published."""

import json
from typing import Any, Final

import pydantic_core

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def to_json(value: Any) -> str:
    """Return a value as compact JSON text, the keys in their own order.

    Raises:
        ValueError: it has a number that JSON does not know (NaN, an infinity).
    """
    fast = pydantic_core.to_json(value)  # five times as fast as the standard library
    # But it writes small numbers in another way, and NaN, which is no JSON, without a word.
    if b"e-" in fast or b"0.0000" in fast or b"NaN" in fast or b"Infinity" in fast:
        return _encode(value)
    return fast.decode()
