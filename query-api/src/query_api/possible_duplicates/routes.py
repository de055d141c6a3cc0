"""Routes of possible duplicates."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import Query, Request
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import answer_of, problem_responses
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import is_personal
from ops.base.sign_in import VerifiedToken, permitted, require
from query_api.access_log.disclosure import disclose
from query_api.database.readers import readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import answer_json, common_headers, sent
from query_api.http.openapi import query
from query_api.http.representation import Body
from query_api.masking.masks import is_masked_for, may_see_restricted
from query_api.paging.models import PAGE_EXAMPLE
from query_api.possible_duplicates.candidates import Candidate, Found, records_like, with_candidates
from query_api.possible_duplicates.dismissals import dismissed_pairs, load_dismissals
from query_api.possible_duplicates.models import (
    MOST_SUGGESTED,
    WANTED_BODY,
    DuplicatesParameters,
    PossibleDuplicates,
    Suggestions,
    Wanted,
    read_wanted,
)
from query_api.possible_duplicates.scored_pairs import ScoredPairs, matches_of
from read_model.matching.keys import match_keys
from read_model.matching.scores import COMPARED, LEAST_SUGGESTED, Match, Profile, compare
from read_model.tables import ENTITY_TABLES, REVISIONS, EntityTable

PATH: Final = "/api/v1/possible-duplicates"
_TABLES: Final = {table.entity.name: table for table in ENTITY_TABLES if table.entity.name in COMPARED}
_SHOWING: Final = {
    name: PersonalContent(
        PATH, "list", name, tuple(field for field in COMPARED[name] if is_personal(table.entity, field))
    )
    for name, table in _TABLES.items()
}
_DISMISSED: Final = {
    name: PersonalContent(PATH, "list", name, (*one.fields, ACTOR_NAME, "reason"))
    for name, one in _SHOWING.items()
}

router = direct_router(tags=["possible duplicates"])
_may_read: Any = permitted(Permission.FLEET_READ)


@query(router, PATH, "possible_duplicates", PossibleDuplicates, known=PAGE_EXAMPLE)
async def read_possible_duplicates(
    request: Request, token: _may_read, params: Annotated[DuplicatesParameters, Query()]
) -> Response:
    """List pairs of records that may be of the same person or vehicle.

    The likeliest pairs first. Exact doubles have an equal value that no two records may share. Drivers need
    `personal:read`. Restricted, removed and erased records are left out.
    """
    table = _table(token, params.type)
    fresh = await is_fresh(request, table) and await is_fresh(request, REVISIONS)
    source, wants_dismissed = readers_of(request).searched, params.dismissed == "true"
    scored_pairs: ScoredPairs = request.app.state.scored_pairs
    scored = await scored_pairs.current(source, table)
    dismissed = await dismissed_pairs(source, table)
    wanted = [pair for pair in scored.scores if (pair in dismissed) == wants_dismissed]
    wanted.sort(key=lambda pair: (-scored.scores[pair], pair))
    page = wanted[params.page * params.size :][: params.size]
    found = await with_candidates(source, table, Found(scored.among, page, {}, scored.is_stale))
    matches = matches_of(found)
    is_masked = is_masked_for(token) or Permission.HISTORY_READ not in token.permissions
    dismissals = await load_dismissals(
        source,
        [dismissed[pair] for pair in matches if pair in dismissed],
        masked=is_masked,
        restricted=may_see_restricted(token),
    )
    content = [
        {
            "type": params.type,
            **{
                place: {"id": one, "name": found.candidates[one].name}
                for place, one in zip(("first", "second"), pair, strict=True)
            },
            **_alike(match),
            "dismissed": dismissals.get(dismissed.get(pair, 0)),
        }
        for pair, match in matches.items()
    ]
    pages = {
        "size": params.size,
        "number": params.page,
        "totalElements": len(wanted),
        "totalPages": -(-len(wanted) // params.size),
    }
    body = json_bytes({"content": content, "page": pages})
    response = await answer_json(request, body, fresh=fresh and not found.is_stale)
    showing = (_DISMISSED if dismissals else _SHOWING)[params.type]
    return disclose(request, token, response, showing, params=params, count=len(content))


@router.post(
    PATH,
    name="suggest_duplicates",
    response_model=None,
    responses={
        **problem_responses(422),
        200: answer_of(Suggestions, "Found", {"Cache-Control": {"schema": {"const": "no-store"}}}),
    },
    openapi_extra={"requestBody": WANTED_BODY},
)
async def suggest_duplicates(request: Request, token: _may_read) -> Response:
    """Suggest existing records that may be of the same person or vehicle as those being entered.

    This is a query: POST keeps the values out of addresses, which are logged. Nothing is stored.
    """
    wanted = await read_wanted(request)
    table = _table(token, wanted.type)
    fresh = await is_fresh(request, table)
    keys = [match_keys(wanted.type, row.values) for row in wanted.rows]
    source = readers_of(request).searched
    found = await with_candidates(source, table, await records_like(source, table, keys))
    rows = await asyncio.to_thread(_suggested, wanted, found)
    body = Body(json_bytes({"rows": rows}))
    headers = {**common_headers(fresh=fresh and not found.is_stale), "Cache-Control": "no-store"}
    response = await sent(request, body, headers, "application/json")
    return disclose(request, token, response, _SHOWING[wanted.type], count=sum(map(len, rows)))


def _table(token: VerifiedToken, name: str) -> EntityTable:
    if _SHOWING[name].fields:
        require(token, Permission.PERSONAL_READ)
    return _TABLES[name]


def _suggested(wanted: Wanted, found: Found) -> Sequence[Sequence[Mapping[str, Any]]]:
    """Return the suggestions for each row, the likeliest first."""
    candidates: list[dict[str, Candidate]] = [{} for _ in wanted.rows]
    for number, entity_id in found.pairs:
        if entity_id in found.candidates and entity_id != wanted.rows[number].id:
            candidates[number][entity_id] = found.candidates[entity_id]
    rows = []
    for row, some in zip(wanted.rows, candidates, strict=True):
        typed = Profile.parse(wanted.type, row.values)
        matches = [
            (compare(typed, one.profile, among=found.among, least=LEAST_SUGGESTED), entity_id, one.name)
            for entity_id, one in some.items()
        ]
        likely = sorted(
            ((match, entity_id, name) for match, entity_id, name in matches if match is not None),
            key=lambda one: (-one[0].score, one[1]),
        )
        rows.append([{"id": i, "name": name, **_alike(match)} for match, i, name in likely[:MOST_SUGGESTED]])
    return rows


def _alike(match: Match) -> dict[str, Any]:
    return {
        "score": match.score,
        "exact": match.exact,
        "fields": [one._asdict() for one in match.fields],
    }
