"""What differs between two records, and who last set each field."""

from collections.abc import AsyncIterable
from typing import Any, Final

from ops.base.json_values import same_json
from query_api.history.reading import Author
from query_api.history.wire import actor_json, moment_text

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
        for name in compared(before, after)
        if not same_json(first.get(name), second.get(name))
    ]


def compared(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    """Return which fields of two records are compared, in the records' order."""
    return [name for name in {**(before or {}), **(after or {})} if name not in UNCOMPARED]


async def blame(record: dict[str, Any], authors: AsyncIterable[Author]) -> list[dict[str, Any]]:
    """Return, for each field of a record, its value and who last set it.

    A registration sets every field, also those that it leaves empty: what an earlier life of the id had
    counts no more.

    Args:
        record: the record at the last version of `authors`.
        authors: of that version and those before it, the latest first; read as far as they are needed.
    """
    names = [name for name in record if name not in UNCOMPARED]
    last: dict[str, Author] = {}
    unknown = set(names)
    async for author in authors:
        fields = unknown if author.type.endswith(".registered") else unknown.intersection(author.fields)
        last |= dict.fromkeys(fields, author)
        unknown = unknown - fields
        if not unknown:
            break
    return [{"field": name, "value": record[name], **_told(last.get(name))} for name in names]


def _told(author: Author | None) -> dict[str, Any]:
    if author is None:
        return {"version": None, "moment": None, "actor": None}
    return {
        "version": author.version,
        "moment": moment_text(author.moment),
        "actor": actor_json(author.sub, author.name),
    }
