"""What is due without a database, as a few lines of Python say it."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from ops.base.records.json_values import json_bytes
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.due.reading import DueDates, due_date
from query_api.http.representation import Content


def due_page(drivers: Iterable[dict[str, Any]], asked: DueParameters) -> dict[str, Any]:
    """Return a page of what is due of some drivers.

    Args:
        drivers: as lists show them.
        asked: which page.
    """
    all_of_them = [due_date(driver, document) for driver in drivers for document in asked.documents]
    found = [one for one in all_of_them if (asked.since or "") <= one["date"] <= asked.until]
    found.sort(key=lambda one: (one["date"], one["driver"], one["document"]))
    pages = -(-len(found) // asked.size)
    page = {"size": asked.size, "number": asked.page, "totalElements": len(found), "totalPages": pages}
    return {"content": found[asked.page * asked.size : (asked.page + 1) * asked.size], "page": page}


class DueInMemory(DueDates):
    """Tells what is due of drivers that are told of."""

    def __init__(self, drivers: Callable[[], Iterable[dict[str, Any]]]) -> None:
        self._drivers = drivers

    async def page(self, asked: DueParameters, *, known_etags: Collection[str] = ()) -> Content:
        """See `DueDates`."""
        page = due_page(self._drivers(), asked)
        body = json_bytes(page)
        etag = f'"{hash(body):x}"'
        if etag in known_etags:
            return Content(etag, None, stale=False)
        return Content(etag, body, stale=False, count=len(page["content"]))


DATES = tuple(DOCUMENTS.values())
"""The fields that have last days."""
