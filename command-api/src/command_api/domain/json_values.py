"""JSON values as such: how deep they are, and how great their numbers."""

from typing import Any, Final

MAX_NUMBER: Final = 2**53 - 1
"""Up to here every JSON reader can hold a whole number (RFC 7493), and 1e20 is a whole number, too."""


def nested_at_most(value: Any, levels: int) -> bool:
    """Tell whether objects and arrays are nested in `value` at most `levels` deep; `value` counts as one."""
    if not isinstance(value, dict | list):
        return True
    items = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(nested_at_most(item, levels - 1) for item in items)


def has_number_beyond_max(value: Any) -> bool:
    """Tell whether `value` is, or has anywhere in it, a number beyond `MAX_NUMBER` in either direction."""
    if isinstance(value, dict | list):
        return any(map(has_number_beyond_max, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and abs(value) > MAX_NUMBER
