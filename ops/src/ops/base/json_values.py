"""Comparing JSON values as JSON does."""

from typing import Any


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
