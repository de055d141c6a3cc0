"""Documents of drivers that have expired or will, a page at a time."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Query, Request
from psycopg import sql
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from query_api.access_log.disclosure import disclose
from query_api.database.decryption import fetch_list, rows_sql
from query_api.database.readers import readers_of
from query_api.database.source import LIST_BYTES, Source, fetch
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import answer, etag_of
from query_api.http.openapi import query
from query_api.http.parameters import QueryParameters, one_of, parameter, read_day, whole_number
from query_api.http.representation import Content
from query_api.paging.filters import FIRST_DAY, key_sql
from query_api.paging.models import PAGE_EXAMPLE, Page
from query_api.paging.statement import (
    LIST,
    PAGE_MEMBER,
    SEARCH_IS_COMPLETE,
    list_parameters,
    rows_of_page,
)
from query_api.paging.view import MAX_PAGE
from read_model.tables import ENTITY_TABLES, REVISIONS, EntityTable
from read_model.tables.acknowledgements import ACKNOWLEDGEMENTS, DOCUMENTS, is_acknowledged
from read_model.tables.search_terms import key_of

DEFAULT_SIZE: Final = 100
MAX_SIZE: Final = 500

DAY: Final = parameter(
    lambda text: read_day(text).isoformat(), Annotated[str, Field(json_schema_extra={"format": "date"})]
)


class DueParameters(QueryParameters):
    """Query parameters of due dates; days are texts, which sort by date."""

    since: Annotated[str | None, DAY] = Field(
        None,
        alias="from",
        description="Only documents whose last day is not before this day",
        examples=["2026-11-21"],
    )
    until: Annotated[str, DAY] = Field(
        description="Only documents whose last day is not after this day", examples=["2026-12-21"]
    )
    document: Annotated[Literal["licence", "passport"] | None, one_of(*DOCUMENTS)] = Field(
        None, description="Only documents of this kind", examples=["licence"]
    )
    page: Annotated[int, whole_number(0, MAX_PAGE)] = Field(
        0, description="Number of the page, from 0", examples=[0, 2]
    )
    size: Annotated[int, whole_number(1, MAX_SIZE)] = Field(
        DEFAULT_SIZE, description="Maximum number of documents", examples=[DEFAULT_SIZE, MAX_SIZE]
    )

    @property
    def documents(self) -> tuple[str, ...]:
        """The wanted kinds of document."""
        return tuple(DOCUMENTS) if self.document is None else (self.document,)


(_TABLE,) = (table for table in ENTITY_TABLES if table.entity.name == "driver")
DRIVERS: Final[EntityTable] = _TABLE

# Indexes on the sort keys find the days. Restricted drivers have no sort keys.
_FOUND: Final = sql.SQL(
    """
    SELECT id, {key} AS key, {document} AS document FROM {search}
    WHERE {key} BETWEEN %(since)s AND %(until)s
    """
)

_DUE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      {found}
    ), page AS (
      SELECT id, key, document FROM found
      ORDER BY key, id, document LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT count(*) AS elements FROM found
    )
    SELECT {answer}
    FROM total
    """
)
_SUMMARY: Final = sql.SQL(
    """
    json_build_object(
      'page', ({page})::json,
      'documents', (SELECT coalesce(json_agg(document ORDER BY {order}), '[]') FROM {rows})
    )
    """
)
_ORDER: Final = sql.SQL("key, id, document")


def due_statement(params: DueParameters) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a page of due dates, and its parameters."""
    return _statement(params.documents), list_parameters(
        DRIVERS,
        "",
        (),
        since=key_of(params.since or FIRST_DAY),
        until=key_of(params.until),
        page=params.page,
        size=params.size,
    )


@cache
def _statement(documents: tuple[str, ...]) -> bytes:
    found = sql.SQL(" UNION ALL ").join(
        _FOUND.format(
            key=key_sql(DRIVERS, DOCUMENTS[document]),
            document=sql.Literal(document),
            search=DRIVERS.search.identifier,
        )
        for document in documents
    )
    rows = sql.SQL("page JOIN {} USING (id)").format(DRIVERS.identifier)
    summary = _SUMMARY.format(page=PAGE_MEMBER.format(), order=_ORDER, rows=rows)
    answer = rows_sql(rows, _ORDER, sql.SQL("(SELECT {})").format(summary), most=LIST_BYTES)
    query = _DUE.format(found=found, answer=answer)
    return LIST.format(is_complete=SEARCH_IS_COMPLETE, found=query).as_bytes(None)


_TOO_LONG: Final = "Must be smaller: the page is too long"
PHONE: Final = "mobile_number_1"


async def load_due_dates(source: Source, params: DueParameters) -> Content:
    """Return a page of due dates, earliest first; its entity tag is a digest, as days pass.

    Args:
        source: the primary, because replicas have no search terms.

    Raises:
        Problem: 503, the search index is incomplete; 422, the page is too long.
    """
    statement, parameters = due_statement(params)
    rows = await fetch_list(source, DRIVERS, statement, parameters, prepare=False)
    if rows.summary is None:
        raise validation_failed([ValidationError.at("size", message=_TOO_LONG)])
    summary = json.loads(rows.summary)
    drivers = json.loads(b"[%b]" % rows.items)
    ids = [driver["id"] for driver in drivers]
    found = await fetch(source, ACKNOWLEDGEMENTS, {"ids": ids}) if ids else ()
    today = datetime.now(UTC).date().isoformat()
    lasting = {(one, of): until for one, of, until in found if is_acknowledged(until, today)}
    content = [due_date(*one, lasting) for one in zip(drivers, summary["documents"], strict=True)]
    page = json_bytes(summary["page"])
    listed = map(json_bytes, (one for one in content if one["date"] is not None))
    body = b'{"content":[%b],"page":%b}' % (b",".join(listed), page)
    return Content(etag_of(body), body, rows.stale, count=rows_of_page(page))


def due_date(
    driver: dict[str, Any], document: str, acknowledged: Mapping[tuple[str, str], str | None]
) -> dict[str, Any]:
    """Return a driver's due date as JSON; the date is null if the driver's key was destroyed.

    Args:
        acknowledged: the days until which acknowledgements last, by driver and document.
    """
    key = driver["id"], document
    return {
        "driver": driver["id"],
        "name": driver["name"],
        "mobile_number": driver[PHONE],
        "document": document,
        "date": driver[DOCUMENTS[document]],
        "acknowledged": key in acknowledged,
        "acknowledged_until": acknowledged.get(key),
    }


PATH: Final = "/api/v1/due-dates"

# The whole answer is personal data, so users without `personal:read` are refused.
MaySee = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_READ, Permission.PERSONAL_READ))]

_EXAMPLE: Final = DRIVERS.entity.example


class DueDate(Closed):
    """A document of a driver."""

    driver: str = Field(description="Id of the driver", examples=[_EXAMPLE["id"]])
    name: str | None = Field(examples=[_EXAMPLE["name"]])
    mobile_number: str | None = Field(examples=[_EXAMPLE["mobile_number_1"]])
    document: Literal["licence", "passport"] = Field(examples=["licence"])
    date: str = Field(
        description="Last day on which the document is valid",
        examples=[_EXAMPLE["driving_license_expiry"]],
        json_schema_extra={"format": "date"},
    )
    acknowledged: bool = Field(description="Whether its reminders are suspended now")
    acknowledged_until: str | None = Field(
        description="When reminders begin again; null: after its renewal, or not acknowledged",
        examples=["2027-03-03"],
        json_schema_extra={"format": "date"},
    )


class DueDates(Closed):
    """A page of due dates."""

    content: list[DueDate]
    page: Page


router = direct_router(tags=["due dates"])
_OF_DATES: Final = PersonalContent(PATH, "due", DRIVERS.entity.name, ("name", PHONE, *DOCUMENTS.values()))


@query(router, PATH, "due_dates", DueDates, known=PAGE_EXAMPLE)
async def read_due_dates(
    request: Request, token: MaySee, params: Annotated[DueParameters, Query()]
) -> Response:
    """List the documents of drivers that have expired or will.

    Licences and passports whose last day is within the dates, the earliest first; a document is valid
    throughout its last day. Restricted drivers are left out. A page beyond the last is empty, and has the
    number of documents.
    """
    fresh = await is_fresh(request, DRIVERS) and await is_fresh(request, REVISIONS)
    content = await load_due_dates(readers_of(request).searched, params)
    response = await answer(request, content, fresh=fresh and not content.stale)
    return disclose(request, token, response, _OF_DATES, params=params, count=content.count)
