"""What differs between two records."""

from typing import Any, Final

from ops.base.json_values import same_json

UNCOMPARED: Final = frozenset({"id", "created_at", "updated_at"})
"""No change sets these: the log makes them."""


def differences(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return which fields differ, in the records' order, with both values.

    Args:
        before: a record; None: there was none, which is told as a null in each field.
        after: the same entity's record at another version, or None.
    """
    first, second = before or {}, after or {}
    return [
        {"field": name, "from": first.get(name), "to": second.get(name)}
        for name in {**first, **second}
        if name not in UNCOMPARED and not same_json(first.get(name), second.get(name))
    ]
