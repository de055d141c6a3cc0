"""Answers with intervals of assignments, and the names of their records."""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import VerifiedToken, require
from query_api.access_log.disclosure import disclose
from query_api.assignments.intervals import ASSIGNMENTS, TABLES, load_intervals, load_survivors
from query_api.assignments.parameters import RECORDS, AssignmentParameters
from query_api.database.lists import load_items
from query_api.database.readers import readers_of
from query_api.database.source import Source
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import answer_json
from query_api.masking.masks import NAME_FIELDS, PERSONAL_NAMES, apply_mask, is_masked_for, masked_list
from query_api.paging.statement import rows_of_page
from read_model.tables import REVISIONS

Keyed = dict[str, str]
"""By type and id, such as `driver:EMP-1`."""


def ids_in(content: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return the ids of the records in assignments, by type."""
    ids: dict[str, set[str]] = {name: set() for name in RECORDS}
    for one in content:
        for name, found in ids.items():
            found.update(one["trailers"] if name == "trailer" else filter(None, [one[name]]))
    return ids


async def load_names(source: Source, entity: str, survivors: Mapping[str, str]) -> Keyed:
    """Return the present names of records of a type."""
    items = await load_items(source, TABLES[entity], sorted({*survivors.values()}))
    names = {item["id"]: item.get(NAME_FIELDS[entity]) for item in items}
    return {f"{entity}:{one}": name for one, last in survivors.items() if (name := names.get(last))}


async def answer_intervals(
    request: Request, token: VerifiedToken, params: AssignmentParameters, showing: PersonalContent
) -> Response:
    """Return a page of intervals: the assignments as they were recorded in the versions that match."""
    if params.known_at is not None:
        require(token, Permission.HISTORY_READ)
    readers, masked = readers_of(request), is_masked_for(token)
    is_named = params.names == "true"
    fresh = True
    for table in (REVISIONS, ASSIGNMENTS, *(TABLES[name] for name in RECORDS if is_named)):
        fresh = await is_fresh(request, table) and fresh
    intervals = await load_intervals(readers.source, readers.past_lists, params, masked=masked)
    body = b'{"content":[%b],"page":%b' % (intervals.content, intervals.page)
    counts: dict[str, int] = {}
    if is_named:
        names: Keyed = {}
        merged: Keyed = {}
        for entity, ids in ids_in(json.loads(b"[%b]" % intervals.content)).items():
            survivors = await load_survivors(readers.source, entity, ids)
            merged |= {f"{entity}:{one}": last for one, last in survivors.items() if last != one}
            if not masked or entity not in PERSONAL_NAMES:
                some = await load_names(readers.source, entity, survivors)
                names |= some
                counts[entity] = len(some)
        body += b',"names":%b,"merged":%b' % (json_bytes(names), json_bytes(merged))
    body += b"}"
    if masked:
        body = await apply_mask(partial(masked_list, ASSIGNMENTS.entity), body)
    response = await answer_json(request, body, fresh=fresh and not intervals.is_stale)
    for entity, name in PERSONAL_NAMES.items():
        if counts.get(entity):
            of_names = PersonalContent(showing.route, "list", entity, (name,))
            disclose(request, token, response, of_names, params=params, count=counts[entity])
    return disclose(request, token, response, showing, params=params, count=rows_of_page(intervals.page))
