"""How great the numbers in JSON values are."""

from typing import Any, Final

MAX_NUMBER: Final = 2**53 - 1
"""Up to here every JSON reader can hold a whole number (RFC 7493), and 1e20 is a whole number, too."""


def has_number_beyond_max(value: Any) -> bool:
    """Tell whether `value` is, or has anywhere in it, a number beyond `MAX_NUMBER` in either direction."""
    if isinstance(value, dict | list):
        return any(map(has_number_beyond_max, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and abs(value) > MAX_NUMBER
