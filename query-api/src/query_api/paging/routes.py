"""Routes to the values that a list can be filtered by, and to a list's export."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from ops.base.access_log.views import PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.long_responses import stream_while_valid
from ops.base.permissions import Permission
from ops.base.records.csv_lines import csv_lines
from ops.base.records.masks import is_personal
from ops.base.sign_in import permitted
from query_api.access_log.disclosure import disclose
from query_api.database.readers import readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import accepts_gzip, answer, common_headers, known_etags
from query_api.http.long_lists import LongLists, compressed
from query_api.http.openapi import TEXT, query
from query_api.masking.masks import is_masked_for, visible_view
from query_api.paging.choices import load_choices
from query_api.paging.csv_lines import BEGIN, MEDIA_TYPE, lines_of
from query_api.paging.models import Choices
from query_api.paging.parameters import (
    ExportParameters,
    ListFilters,
    parameters_of_choices,
    parameters_of_export,
)
from read_model.tables import EntityTable

LISTS_PATH: Final = "/api/v1/lists"
NAMED_AT_ONCE: Final = 50_000
"""Rows of an export whose ids and versions one statement reads."""


@cache
def list_routes(table: EntityTable) -> APIRouter:
    """Build the routes of one list."""
    router = direct_router(tags=[table.name])
    entity, path = table.entity, f"{LISTS_PATH}/{table.name}"
    has_choices = "value" in entity.filtered.values()
    parameters: Any = parameters_of_choices(table) if has_choices else ListFilters
    exported: Any = parameters_of_export(table)
    may_read: Any = permitted(entity.needs(Permission.FLEET_READ))

    async def read_choices(
        request: Request, token: may_read, params: Annotated[parameters, Query()]
    ) -> Response:
        """List the values that a list can be filtered by.

        The most frequent first, each with the number of its rows. Values that differ only in case are one.
        """
        view = visible_view(token, entity, params.filtered_view, params.field)
        fresh = await is_fresh(request, table)
        source, known = readers_of(request).searched, known_etags(request.scope)
        content = await load_choices(source, table, params.field, view, known_etags=known)
        response = await answer(request, content, fresh=fresh and not content.stale)
        values = [params.field] if is_personal(entity, params.field) else []
        personal = tuple(dict.fromkeys([*values, *params.personal_filters(entity)]))
        showing = PersonalContent(f"{path}/choices", "choices", entity.name, personal)
        return disclose(request, token, response, showing, params=params, count=content.count)

    @query(
        router,
        f"{path}/export",
        f"export_of_{table.name}",
        {"text/csv": {"schema": TEXT, "example": "\ufeffid\r\n"}},
        cache_control="private, no-store",
        headers={"Content-Disposition": {"schema": TEXT}},
    )
    async def export(request: Request, token: may_read, params: Annotated[exported, Query()]) -> Response:
        """Export all rows of a list, or of its filtered rows, as comma-separated values.

        RFC 4180 after a byte order mark: a header line, then one line per row. Text that a spreadsheet could
        take for a formula begins with an apostrophe. Masked values read `Hidden`, erased ones `Erased`. Rows
        are sent while they are read: a row that moves meanwhile may be missed or come twice.
        """
        # The rows and their order reveal the values that they were found and sorted by.
        tops = {column.partition(".")[0] for column in params.columns}.union(params.personal_filters(entity))
        tops.update(params.sort[:1] if params.sort else ())
        personal = tuple(name for name in entity.personal if name in tops)
        view = replace(visible_view(token, entity, params.view), size=NAMED_AT_ONCE)
        fresh = await is_fresh(request, table)
        headers = {
            **common_headers(fresh=fresh),
            "Cache-Control": "private, no-store",
            "Content-Disposition": f'attachment; filename="{table.name}.csv"',
        }
        if request.method == "HEAD":
            return Response(headers=headers, media_type=MEDIA_TYPE)
        long_lists: LongLists = request.app.state.long_lists
        items = long_lists.items(table, view, masked=is_masked_for(token))
        await anext(items)  # an error before the first byte becomes a problem response
        content = stream_while_valid(request.scope, _lines(params, items))
        if accepts_gzip(request.scope):
            headers["Content-Encoding"] = "gzip"
            content = compressed(content)
        response = StreamingResponse(content, headers=headers, media_type=MEDIA_TYPE)
        showing = PersonalContent(f"{path}/export", "download", entity.name, personal)
        return disclose(request, token, response, showing, params=params)

    if has_choices:
        query(router, f"{path}/choices", f"choices_of_{table.name}", Choices)(read_choices)
    return router


async def _lines(
    params: ExportParameters, items: AsyncIterator[list[dict[str, Any]]]
) -> AsyncIterator[bytes]:
    yield (BEGIN + csv_lines([params.headers or params.columns])).encode()
    async for some in items:
        lines = await asyncio.to_thread(lines_of, params.columns, some)
        del some  # frees memory while a slow client reads
        yield lines
