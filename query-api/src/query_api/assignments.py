"""Intervals of assignments: who had what, by the time for which they hold and by what was known at a moment.

Each revision of an assignment is an interval, known from its moment to the moment of the next revision.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeGuard

from psycopg import sql
from pydantic import Field, ValidationInfo, field_validator
from starlette.requests import Request
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import VerifiedToken, require
from query_api.access_log.disclosure import disclose
from query_api.database.lists import load_items
from query_api.database.readers import readers_of
from query_api.database.source import Source, fetch
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.parameters import INSTANT, MOMENT, AsOf
from query_api.history.past_states import LogPoint
from query_api.http.answers import answer_json
from query_api.http.parameters import PLAIN_TEXT, YES_OR_NO, BadParameter, not_together_with
from query_api.masking.masks import NAME_FIELDS, PERSONAL_NAMES, apply_mask, is_masked_for, masked_list
from query_api.paging import parameters
from query_api.paging.filters import EXCEPT
from query_api.paging.parameters import ListParameters, only_for_pages
from query_api.paging.view import ListView
from read_model.tables import ENTITY_TABLES, REVISIONS, EntityTable

ASSIGNED: Final = ("driver", "horse", "trailer")
RECORDS: Final = (*ASSIGNED, "location")
_TABLES: Final = {table.entity.name: table for table in ENTITY_TABLES if table.entity.name in RECORDS}
_DEFAULT_SIZE: Final = 100
_ONLY: Final = "Only intervals with this {}. With one of `driver`, `horse`, `trailer`, `location`, `at` or"
_ONLY_END: Final = " `known_at`: all intervals that match, the latest start first"
_ALONE: Final = not_together_with("as_of", "whole_up_to", "sort", "q", "q_in")

# The ranges include their start and exclude their end. Of versions of one moment only the last was known.
_FOUND: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT one.entity_id, one.version, lower(read.assigned_time(one.state)) AS start
      FROM {revisions} AS one LEFT JOIN LATERAL (
        SELECT moment FROM {revisions} AS later
        WHERE later.entity = one.entity AND later.entity_id = one.entity_id AND later.version > one.version
        ORDER BY later.version LIMIT 1
      ) AS next ON true
      WHERE one.entity = 'assignment' AND tstzrange(one.moment, next.moment) @> %(known_at)s::timestamptz
        AND read.assigned_time(one.state) && tstzrange(%(at)s, %(until)s, %(bounds)s)
        {records}
    ), page AS (
      SELECT * FROM found ORDER BY start DESC, entity_id LIMIT %(size)s OFFSET %(size)s::bigint * %(page)s
    )
    SELECT log_id, coalesce(generation, 0),
      (SELECT count(*) FROM found),
      ARRAY(SELECT entity_id FROM page ORDER BY start DESC, entity_id),
      ARRAY(SELECT version FROM page ORDER BY start DESC, entity_id)
    FROM log.identity LEFT JOIN read.positions ON projection = {projection}
    """
)
_ASSIGNED: Final = sql.SQL(
    """
    SELECT DISTINCT split_part(name, ':', 2)
    FROM {revisions} AS one CROSS JOIN LATERAL unnest(read.assigned_records(one.state)) AS name
    WHERE one.entity = 'assignment' AND starts_with(name, %(entity)s || ':')
      AND read.assigned_time(one.state) && tstzrange(%(since)s, %(until)s)
      AND NOT EXISTS (
        SELECT FROM {revisions} AS later
        WHERE later.entity = one.entity AND later.entity_id = one.entity_id AND later.version > one.version
      )
    """
).format(revisions=REVISIONS.identifier)
_RECORDS: Final = sql.SQL("AND read.assigned_records(one.state) @> %(records)s::text[]")


class AssignmentParameters(ListParameters):
    """Query parameters of the list of assignments, and of their intervals."""

    driver: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description=_ONLY.format("driver") + _ONLY_END, examples=["EMP-0042"]
    )
    horse: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only intervals with this horse", examples=["HRS-3W8N1ZTB"]
    )
    trailer: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only intervals with this trailer", examples=["TRL-7G4K9QXM"]
    )
    location: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only intervals that begin at this location", examples=["LOC-5D2R6YVC"]
    )
    at: Annotated[datetime | None, INSTANT] = Field(
        None, description="Only intervals that hold at this instant (RFC 3339)", examples=[MOMENT]
    )
    until: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="With `at`: intervals that hold at any instant from then until this one",
        examples=[MOMENT],
    )
    known_at: AsOf = Field(
        None,
        description="As recorded at this instant; otherwise as recorded now. Needs `history:read`, too",
        examples=[MOMENT],
    )

    names: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Intervals with the present names of their records", examples=["true"]
    )

    _alone = field_validator(*RECORDS, "at", "until", "known_at", "names", mode="before")(_ALONE)

    @field_validator("until", mode="after")
    @classmethod
    def _is_after(cls, until: datetime | None, info: Any) -> datetime | None:
        at = info.data.get("at")
        if until is not None and (at is None or at >= until):
            raise BadParameter("Must be after `at`, which must be given")
        return until


class FreeParameters(ListParameters):
    """Query parameters of the lists of records that can be assigned."""

    free_from: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="With `free_until`: only records without an assignment at any instant from this one on",
        examples=[MOMENT],
    )
    free_until: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="The end of the time from `free_from` on, not included",
        examples=["2999-01-01T00:00:00Z"],
    )

    _only_for_pages = field_validator("free_from", "free_until", mode="before")(only_for_pages)

    @field_validator("free_from", "free_until", mode="before")
    @classmethod
    def _have_both_ends(cls, text: Any, info: ValidationInfo) -> Any:
        if not {"free_from", "free_until"} <= (info.context or {}).keys():
            raise BadParameter("Must be given together with `free_from` and `free_until`")
        return text

    @field_validator("free_until", mode="after")
    @classmethod
    def _is_after(cls, until: datetime | None, info: ValidationInfo) -> datetime | None:
        since = info.data.get("free_from")
        if until is not None and since is not None and since >= until:
            raise BadParameter("Must be after `free_from`")
        return until


def parameters_of_list(table: EntityTable) -> type[ListParameters]:
    """Return the model of a table's list parameters, with those of intervals for assignments."""
    bases: dict[str, type[ListParameters]] = {
        "assignment": AssignmentParameters,
        **dict.fromkeys(ASSIGNED, FreeParameters),
    }
    return parameters.parameters_of_list(table, bases.get(table.entity.name, ListParameters))


def asks_for_intervals(params: ListParameters) -> TypeGuard[AssignmentParameters]:
    """Return whether intervals are wanted, and not the list."""
    wanted = isinstance(params, AssignmentParameters)
    return wanted and not params.model_fields_set.isdisjoint({*RECORDS, "at", "known_at", "names"})


async def find_intervals(
    source: Source, params: AssignmentParameters
) -> tuple[LogPoint, dict[str, int], list[tuple[str, int]]]:
    """Return the log, the page, and the ids and versions of its intervals."""
    size = params.size or _DEFAULT_SIZE
    records = [f"{name}:{one}" for name in RECORDS if (one := getattr(params, name)) is not None]
    statement = _FOUND.format(
        revisions=REVISIONS.identifier,
        projection=sql.Literal(REVISIONS.name),
        records=_RECORDS if records else sql.SQL(""),
    )
    given = {
        "records": records,
        "known_at": params.known_at or "infinity",
        "at": params.at,
        "until": params.until or params.at,
        "bounds": "[]" if params.until is None else "[)",
        "size": size,
        "page": params.page or 0,
    }
    ((log_id, generation, total, ids, versions),) = await fetch(source, statement, given)
    page = {
        "size": size,
        "number": params.page or 0,
        "totalElements": total,
        "totalPages": -(-total // size),
    }
    return LogPoint(log_id, generation, 0), page, list(zip(ids, versions, strict=True))


async def without_assigned(
    source: Source, table: EntityTable, params: FreeParameters, view: ListView
) -> ListView:
    """Return a view of those of its records that have no assignment in the time of the parameters."""
    given = {"entity": table.entity.name, "since": params.free_from, "until": params.free_until}
    rows = await fetch(source, _ASSIGNED, given, prepare=False)
    return replace(view, filters=(*view.filters, (EXCEPT, tuple(sorted(one for (one,) in rows)))))


async def load_names(
    source: Source, content: Iterable[Mapping[str, Any]], *, masked: bool
) -> dict[str, dict[str, str]]:
    """Return the present names of the records in assignments, by type and id."""
    ids: dict[str, set[str]] = {name: set() for name in RECORDS}
    for one in content:
        ids["trailer"].update(one["trailers"])
        for name in ("driver", "horse", "location"):
            ids[name].update([one[name]] if one[name] else ())
    names = {}
    for entity, some in ids.items():
        if some and not (masked and entity in PERSONAL_NAMES):
            items = await load_items(source, _TABLES[entity], sorted(some))
            found = {item["id"]: item.get(NAME_FIELDS[entity]) for item in items}
            names[entity] = {one: name for one, name in found.items() if name}
    return names


async def answer_intervals(
    request: Request,
    token: VerifiedToken,
    table: EntityTable,
    params: AssignmentParameters,
    showing: PersonalContent,
) -> Response:
    """Return a page of intervals: the assignments as they were recorded in the versions that match."""
    if params.known_at is not None:
        require(token, Permission.HISTORY_READ)
    readers, masked = readers_of(request), is_masked_for(token)
    fresh = await is_fresh(request, REVISIONS)
    point, page, rows = await find_intervals(readers.source, params)
    records = readers.past_lists.rows(table.entity, point, rows, masked=masked)
    content = b",".join([some async for some in records]) if rows else b""
    body = b'{"content":[%b],"page":%b' % (content, json_bytes(page))
    names: dict[str, dict[str, str]] = {}
    if params.names == "true":
        for named in _TABLES.values():
            fresh = await is_fresh(request, named) and fresh
        names = await load_names(readers.source, json.loads(b"[%b]" % content), masked=masked)
        texts = {f"{entity}:{one}": name for entity, some in names.items() for one, name in some.items()}
        body += b',"names":%b' % json_bytes(texts)
    body += b"}"
    if masked:
        body = await apply_mask(partial(masked_list, table.entity), body)
    response = await answer_json(request, body, fresh=fresh)
    for entity in PERSONAL_NAMES.keys() & names.keys():
        of_names = PersonalContent(showing.route, "list", entity, (PERSONAL_NAMES[entity],))
        disclose(request, token, response, of_names, params=params, count=len(names[entity]))
    return disclose(request, token, response, showing, params=params, count=len(rows))
