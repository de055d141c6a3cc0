"""Hooks of schemathesis (`SCHEMATHESIS_HOOKS`) for rules that no schema expresses."""

import uuid
from typing import Any, Final

import schemathesis
from schemathesis import Case, GenerationMode, HookContext
from schemathesis.core.transport import Response

from ops.base.http.consistency import POSITION_HEADER, LogPosition
from ops.base.records.entities import ENTITY_TYPES
from ops.base.records.own_digests import PATH as OWN_DIGEST

_FEED: Final = "/api/v1/events"
_FILE: Final = "/api/v1/audit/file"
_MOST_FILES: Final = 5
_KEY: Final = "Idempotency-Key"
_INTERVALS: Final = frozenset({"driver", "horse", "trailer", "location", "at", "known_at", "names"})
_PAST: Final = "2026-01-01T00:00:00Z"
_FILTERED: Final = {name: kind for entity in ENTITY_TYPES for name, kind in entity.filtered.items()}
_FREE: Final = {"free_from": "2026-01-01T00:00:00Z", "free_until": "2026-01-02T00:00:00Z"}
_PAGE_PARAMETERS: Final = {"page", "size", "sort", "q", "q_in", *_FREE, *_FILTERED}

_MATCHING: Final[dict[str, Any]] = {
    "content": "due_dates",
    "entity_types": [],
    "event_kinds": [],
    "filter": [],
    "channel": "email",
    "recipients": ["office@example.com"],
    "url": None,
    "schedule": "daily",
    "time_zone": "UTC",
}


class _Client:
    """The state of a client between requests."""

    reached: LogPosition | None = None
    files = 0
    """How many audit files were requested."""


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: Any) -> None:
    """Make positive cases obey the rules that the documents express in words alone.

    A subscription has fields that match, and an existing time zone; an acknowledgement ends in the future. An
    id in a body is that of the path. Each command has a new idempotency key; other tests use a key twice. A
    query has the position of the last command. A query of the past has an existing version or a past moment,
    and not both. No request may follow the feed for ever.
    """
    _limit_long_answers(case)
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if case.headers.get(_KEY):
        case.headers[_KEY] = uuid.uuid4().hex
    if case.method.upper() == "GET" and _Client.reached:
        case.headers[POSITION_HEADER] = str(_Client.reached)
    body = case.body
    if case.method.upper() == "PUT" and isinstance(body, dict) and isinstance(body.get("id"), str):
        body["id"] = case.path_parameters["entity_id"]
    if case.path.startswith("/api/v1/subscriptions") and isinstance(body, dict) and "content" in body:
        body |= _MATCHING
    if case.path == OWN_DIGEST and isinstance(body, dict):
        body["time_zone"] = "UTC"
    if case.path.endswith("/acknowledgements") and isinstance(body, dict) and body.get("until"):
        body["until"] = "2999-12-31"
    if case.path.endswith(("/restore", "/undo", "/merges")) and isinstance(body, dict) and "version" in body:
        body["version"] = 1
    _leave_intervals_alone(case)
    _make_compatible(case.query)


def _leave_intervals_alone(case: Case[Any]) -> None:
    """Remove parameters of lists from a query for intervals of assignments, and an end without a start."""
    if case.path == "/api/v1/assignments":
        of_lists = {"as_of", "whole_up_to", "sort", "q", "q_in"}
        removed = {"until"} if _INTERVALS.isdisjoint(case.query) else {"until", *of_lists}
        for name in removed & case.query.keys():
            del case.query[name]


def _limit_long_answers(case: Case[Any]) -> None:
    if case.path == _FEED and isinstance(case.query, dict):
        _limit_feed(case.query)
    if case.path == _FILE and case.method.upper() == "GET":
        _limit_files(case)


def _limit_files(case: Case[Any]) -> None:
    """Request few audit files, each of which takes processes; all other requests are refused."""
    if isinstance(case.query, dict):
        _Client.files += 1
        if _Client.files > _MOST_FILES:
            case.query.pop("entity", None)
            case.query["id"] = "EMP-1"
        elif "entity" not in case.query:
            case.query.pop("id", None)


def _limit_feed(query: dict[str, Any]) -> None:
    """Replace endless streams of the feed by lines up to the head, and shorten waits for a batch."""
    for name, endless, ends in (("format", "sse", "ndjson"), ("follow", "true", "false")):
        if query.get(name) in (endless, [endless]):
            query[name] = ends
    if query.get("wait") in range(2, 31):
        query["wait"] = 1
    excluded = {"limit", "wait"} if query.get("format") == "ndjson" else {"follow"}
    for name in excluded & query.keys():
        del query[name]


def _make_compatible(query: dict[str, Any]) -> None:
    """Remove incompatible parameters from a query of the past, and use existing days."""
    for name in {"as_of", "known_at", "from", "to"} & query.keys():
        if _is_moment(query[name]):
            query[name] = _PAST
    for name in _FILTERED.keys() & query.keys():
        if _FILTERED[name] == "days":
            query[name] = "2026-01-01.."
    if not _FREE.keys().isdisjoint(query):
        query.update(_FREE)
    query.pop("headers", None)  # their number must be that of the columns
    excluded: set[str] = set()
    if "as_of" in query:
        excluded = {"version", "whole_up_to", *_PAGE_PARAMETERS}
    elif "whole_up_to" in query:
        excluded = _PAGE_PARAMETERS
    elif query.get("format") in {"csv", "ndjson"}:
        excluded = {"cursor", "limit"}
    else:
        excluded = {"reveal"}
    for name in excluded & query.keys():
        del query[name]


def _is_moment(value: object) -> bool:
    return isinstance(value, str) and "T" in value.upper()


@schemathesis.hook
def after_call(_context: HookContext, _case: Case[Any], response: Response) -> None:
    """Store the position of a command's answer, as browsers do by cookie."""
    for value in response.headers.get(POSITION_HEADER.lower(), []):
        reported = LogPosition.parse(value)
        if reported and (_Client.reached is None or reported.position > _Client.reached.position):
            _Client.reached = reported
