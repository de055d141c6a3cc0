"""JSON values as such: equal or not, whatever Python thinks of `True == 1`, and how deep."""

from typing import Any


def nested_at_most(value: Any, levels: int) -> bool:
    """Tell whether objects and arrays are nested in `value` at most `levels` deep; `value` counts as one."""
    if not isinstance(value, dict | list):
        return True
    items = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(nested_at_most(item, levels - 1) for item in items)
