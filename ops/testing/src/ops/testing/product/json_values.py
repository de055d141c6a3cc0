"""JSON values compared as JSON: Python takes True for 1."""

from typing import Any


def canonical(value: Any) -> Any:
    """Return something that is equal for two JSON values exactly when they are the same JSON value.

    `true` is not `1`, `1` is `1.0`, and the order of an object's names means nothing.
    """
    match value:
        case None | bool() | str():
            return (type(value).__name__, value)
        case int() | float():
            return ("number", float(value))
        case list():
            return ("array", [canonical(item) for item in value])
        case dict():
            return ("object", {name: canonical(item) for name, item in value.items()})
    raise TypeError(f"{type(value).__name__} is not JSON")
