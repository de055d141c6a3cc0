"""Who last set each field."""

from collections.abc import Iterable
from typing import Any

from query_api.history.differences import UNCOMPARED
from query_api.history.reading import Author
from query_api.history.told import told_actor, told_moment


def blame(record: dict[str, Any], authors: Iterable[Author]) -> list[dict[str, Any]]:
    """Return, for each field of a record, its value and who last set it.

    A registration sets every field, also those that it leaves empty: what an earlier life of the id had
    counts no more.

    Args:
        record: the record at the last version of `authors`.
        authors: of all versions up to it, in their order.
    """
    names = [name for name in record if name not in UNCOMPARED]
    last: dict[str, Author] = {}
    for author in authors:
        fields = names if author.type.endswith(".registered") else author.fields
        last |= dict.fromkeys(fields, author)
    return [{"field": name, "value": record[name], **_told(last.get(name))} for name in names]


def _told(author: Author | None) -> dict[str, Any]:
    if author is None:
        return {"version": None, "moment": None, "actor": None}
    return {
        "version": author.version,
        "moment": told_moment(author.moment),
        "actor": told_actor(author.sub, author.name),
    }
