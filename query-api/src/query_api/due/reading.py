"""Reading which documents are due, of whom, and how to reach them."""

import json
from collections.abc import Collection
from typing import Any, Final

from ops.base.http.problems import ValidationError, unavailable, validation_failed
from ops.base.records.json_values import json_bytes
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.due.statement import DRIVERS, due_statement
from query_api.http.representation import Content
from query_api.paging.statement import rows_of_page
from query_api.reading.contents import rows_read
from query_api.reading.lists import NOT_WHOLE
from query_api.reading.source import Source, fetch

_TOO_LONG: Final = "Must be smaller: so many at once are too long"
PHONE: Final = "mobile_number_1"


class DueDates:
    """The documents that have expired or will."""

    def __init__(self, source: Source) -> None:
        """Prepare to read from what has what lists are sorted by: no replica."""
        self._source = source

    async def page(self, asked: DueParameters, *, known_etags: Collection[str] = ()) -> Content:
        """Return a page of them, by their last days.

        Args:
            asked: which.
            known_etags: of answers the client has; if the current one is among them, nothing is read.

        Raises:
            Problem: 503, what they are found by is not there yet; 422, the page is too long.
            KeysUnavailable: what is sealed cannot be opened now.
        """

        async def read(without: Collection[str]) -> tuple[tuple[str, bool], Any]:
            statement, parameters = due_statement(asked, known_etags, without=without)
            row = await fetch(self._source, statement, parameters, prepare=False)
            ((etag, stale, is_whole, _, found),) = row
            if not is_whole:
                raise unavailable(NOT_WHOLE)
            return (etag, stale), found

        (etag, stale), rows = await rows_read(DRIVERS, read)
        if rows is None and etag not in known_etags:
            raise validation_failed([ValidationError.at("size", message=_TOO_LONG)])
        if rows is None:
            return Content(etag, None, stale)
        told = json.loads(rows.told)
        drivers = json.loads(b"[%b]" % await rows.items())
        content = [due_date(*one) for one in zip(drivers, told["documents"], strict=True)]
        page = told["page"]
        body = {"content": [one for one in content if one["date"] is not None], "page": page}
        return Content(etag, json_bytes(body), stale, count=rows_of_page(json_bytes(page)))


def due_date(driver: dict[str, Any], document: str) -> dict[str, Any]:
    """Return what is told of a driver's document; its date is null where nobody has its key any more."""
    told = {"driver": driver["id"], "name": driver["name"], "mobile_number": driver[PHONE]}
    return {**told, "document": document, "date": driver[DOCUMENTS[document]]}
