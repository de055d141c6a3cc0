"""JSON values as such: their text, whether they are the same, and how deep they are."""

import json
from typing import Any, Final

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_bytes(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8, the keys in their own order."""
    return _ENCODER.encode(value).encode()


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same: true is not 1, 1 is 1.0, the order of keys means nothing."""
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
    """Tell whether objects and arrays are nested in `value` at most `levels` deep; `value` counts as one."""
    layer = [value] if isinstance(value, dict | list) else []
    while layer and levels > 0:
        members = (one.values() if isinstance(one, dict) else one for one in layer)
        layer = [item for items in members for item in items if isinstance(item, dict | list)]
        levels -= 1
    return not layer
