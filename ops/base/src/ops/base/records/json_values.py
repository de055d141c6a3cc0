"""JSON values: encoding, comparison, depth, merging."""

import json
import re
from collections.abc import Mapping, Set
from typing import Any, Final, TypeVar

import pydantic_core

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# Ids often contain "e-" as well.
_NEGATIVE_EXPONENT: Final = re.compile(rb"(?:^|[:,\[])-?[\d.]+e-")

T = TypeVar("T")


def only(members: Mapping[str, T], names: Set[str], *, else_: Any = None) -> dict[str, T]:
    """Return all members in their order, with `else_` in place of the values that are not in `names`."""
    selected = dict.fromkeys(members, else_)  # faster than a comprehension, because `names` has mostly few
    selected.update((name, members[name]) for name in names & members.keys())
    return selected


def json_bytes(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8, in its order; raises `ValueError` for NaN and infinities."""
    fast = pydantic_core.to_json(value)  # five times as fast as the standard library
    # pydantic formats small numbers differently, and writes NaN, which is not JSON.
    has_exponent = b"e-" in fast and _NEGATIVE_EXPONENT.search(fast) is not None
    if has_exponent or b"0.0000" in fast or b"NaN" in fast or b"Infinity" in fast:
        return _encode(value).encode()
    return fast


def to_json(value: Any) -> str:
    """Return a value as compact JSON text; raises the errors of `json_bytes`."""
    return json_bytes(value).decode()


def same_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0 but not true, and key order is ignored."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


def nested_at_most(value: Any, levels: int) -> bool:
    """Return whether objects and arrays are nested at most `levels` deep; `value` itself counts."""
    layer = [value] if isinstance(value, dict | list) else []
    while layer and levels > 0:
        members = (one.values() if isinstance(one, dict) else one for one in layer)
        layer = [item for items in members for item in items if isinstance(item, dict | list)]
        levels -= 1
    return not layer


def merge_patched(value: Any, patch: Any) -> Any:
    """Apply a merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    patched = dict(value) if isinstance(value, dict) else {}
    for name, member in patch.items():
        if member is None:
            patched.pop(name, None)
        else:
            patched[name] = merge_patched(patched.get(name), member)
    return patched
