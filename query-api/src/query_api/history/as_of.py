"""Records and lists as they were, in the shapes that they have now."""

from datetime import datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from ops.base.http.record_etags import RecordETag
from ops.base.records.masks import masked_body
from ops.base.sign_in import VerifiedToken
from projections.tables import EntityTable
from query_api.history.models import AS_OF_HEADER
from query_api.history.parameters import Point
from query_api.history.past_lists import PastLists, erased_record
from query_api.history.past_states import state_at
from query_api.http.answers import answer, common_headers, is_known, not_found
from query_api.http.representation import Content
from query_api.http.streaming import streamed
from query_api.masking.masking import aside, masked_tag, sees_masked
from query_api.reading.source import Source


async def single_as_of(
    request: Request,
    source: Source,
    table: EntityTable,
    entity_id: str,
    point: Point,
    *,
    fresh: bool,
    token: VerifiedToken,
) -> tuple[Response, bool]:
    """Answer with a record as it was, and tell whether it is masked, for those who may not see all.

    Raises:
        Problem: 404, there was none.
    """
    masked = sees_masked(token)
    state = await state_at(source, table.entity, entity_id, point, masked=masked)
    if state is None or state.record is None:
        raise not_found(fresh=fresh and (state is None or state.is_removal))
    masked = sees_masked(token, restricted=state.is_restricted)
    record = erased_record(table.entity, state.record) if state.is_erased else state.record
    body = table.entity.wrap_json(record)
    if masked and not state.is_erased:
        body = await aside(partial(masked_body, table.entity), body)
    etag = str(RecordETag.of(state.version, state.log_id, body))
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={state.position}, version={state.version}"
    return response, masked


async def list_as_of(
    request: Request, lists: PastLists, table: EntityTable, moment: datetime, *, fresh: bool, masked: bool
) -> Response:
    """Answer with a list as it was; empty before its first record.

    It is sent as it is read. Where it cannot be read to its end it is broken off, so that it is taken for no
    list at all.
    """
    point = await lists.point_at(moment)
    # What was at a position of a log does not change, but for how it is told and shown.
    etag = f'"{point.log_id}-{table.version}-{point.generation}-as-of-{point.position}-{point.withheld}"'
    if masked:
        etag = masked_tag(etag)
    headers = {"ETag": etag, **common_headers(fresh=fresh), AS_OF_HEADER: f"position={point.position}"}
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    records = lists.records(table.entity, point, masked=masked)
    return await streamed(request, table, records, headers, masked=masked)
