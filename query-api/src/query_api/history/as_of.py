"""Answers with records and lists at a point in the past."""

from datetime import datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from ops.base.http.record_etags import RecordETag
from ops.base.records.masks import masked_body
from ops.base.sign_in import VerifiedToken
from query_api.database.source import Source
from query_api.history.models import AS_OF_HEADER
from query_api.history.parameters import Point
from query_api.history.past_lists import PastLists, erased_record
from query_api.history.past_states import state_at
from query_api.http.answers import answer, common_headers, is_known, not_found
from query_api.http.long_lists import stream_list
from query_api.http.representation import Content
from query_api.masking.masks import apply_mask, is_masked_for, masked_tag
from read_model.tables import EntityTable


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
    """Return the answer with a record at a point in the past, and whether it is masked.

    Raises:
        Problem: 404, the record did not exist.
    """
    masked = is_masked_for(token)
    state = await state_at(source, table.entity, entity_id, point, masked=masked)
    if state is None or state.record is None:
        raise not_found(fresh=fresh and (state is None or state.is_removal))
    masked = is_masked_for(token, restricted=state.is_restricted)
    record = erased_record(table.entity, state.record) if state.is_erased else state.record
    body = table.entity.wrap_json(record)
    if masked and not state.is_erased:
        body = await apply_mask(partial(masked_body, table.entity), body)
    etag = str(RecordETag.of(state.version, state.log_id, body))
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={state.position}, version={state.version}"
    return response, masked


async def list_as_of(
    request: Request, lists: PastLists, table: EntityTable, moment: datetime, *, fresh: bool, masked: bool
) -> Response:
    """Return a streaming answer with a list at a point in the past."""
    point = await lists.point_at(moment)
    # The state at a position never changes, but the table's version and privacy events change the answer.
    etag = (
        f'"{point.log_id}-{table.version}-{point.generation}-as-of-{point.position}-{point.privacy_position}"'
    )
    if masked:
        etag = masked_tag(etag)
    headers = {"ETag": etag, **common_headers(fresh=fresh), AS_OF_HEADER: f"position={point.position}"}
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    records = lists.records(table.entity, point, masked=masked)
    return await stream_list(request, table, records, headers, masked=masked)
