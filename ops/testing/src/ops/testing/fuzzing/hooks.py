"""What no schema can say: hooks that schemathesis loads (`SCHEMATHESIS_HOOKS`)."""

import itertools
import json
import os
import uuid
from pathlib import Path
from typing import Any, Final

import schemathesis
from schemathesis import Case, CheckContext, GenerationMode, HookContext
from schemathesis.core.transport import Response

from ops.base.http.consistency import POSITION_HEADER, LogPosition
from ops.base.records.entities import ENTITY_TYPES

_FEED: Final = "/api/v1/events"
_KEY: Final = "Idempotency-Key"
_PAST: Final = "2026-01-01T00:00:00Z"


_PLANTED: Final[dict[str, Any]] = (
    json.loads(Path(known).read_text()) if (known := os.environ.get("FLEETLOG_TEST_CANARIES")) else {}
)
_CANARIES: Final[list[str]] = _PLANTED.get("canaries", [])
"""What no answer may show."""
_IDS: Final[dict[str, str]] = _PLANTED.get("ids", {})
"""Of records that are full of them, by the paths of their collections."""
_LOOKED_FOR: Final = ("q", "actor", "field", "type", "city", "owner")
_FILTERED: Final = {name: kind for entity in ENTITY_TYPES for name, kind in entity.filtered.items()}
_OF_PAGES: Final = {"page", "size", "sort", "q", "q_in", *_FILTERED}
_TURNS: Final = itertools.count()


class _Client:
    """What a client remembers of the answers it got."""

    reached: LogPosition | None = None


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: Any) -> None:
    """Let what is meant to be valid obey the rules that the documents can only put in words.

    A body that names an id names the one in the address. A key is used for one command: with another it is
    refused, which other tests show. A query names the position that its client has written to. What is asked
    of the past names a version that there is, or a moment that has been, and not both.

    Nothing may last for ever, be it meant to be valid or not: streams that follow have tests of their own.
    """
    if case.path == _FEED and isinstance(case.query, dict):
        _ask_for_what_ends(case.query)
    for name in _LOOKED_FOR if _CANARIES and isinstance(case.query, dict) else ():
        if name in case.query and (turn := next(_TURNS)) % 3 == 0:
            case.query[name] = _CANARIES[turn // 3 % len(_CANARIES)]
    if case.method.upper() == "GET" and "/{entity_id}" in case.path and next(_TURNS) % 2:
        collection = case.path.partition("/{entity_id}")[0]
        case.path_parameters["entity_id"] = _IDS.get(collection, case.path_parameters["entity_id"])
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if case.headers.get(_KEY):
        case.headers[_KEY] = uuid.uuid4().hex
    if case.method.upper() == "GET" and _Client.reached:
        case.headers[POSITION_HEADER] = str(_Client.reached)
    body = case.body
    if case.method.upper() == "PUT" and isinstance(body, dict) and isinstance(body.get("id"), str):
        body["id"] = case.path_parameters["entity_id"]
    if case.path.endswith(("/restore", "/undo")) and isinstance(body, dict) and "version" in body:
        body["version"] = 1
    _ask_sensibly(case.query)


def _ask_for_what_ends(query: dict[str, Any]) -> None:
    """Ask the feed for lines up to the head, or for a batch that is there, where a stream would not end."""
    for name, endless, ends in (("format", "sse", "ndjson"), ("follow", "true", "false")):
        if query.get(name) in (endless, [endless]):
            query[name] = ends
    if query.get("wait") in range(2, 31):
        query["wait"] = 1
    elsewhere = {"limit", "wait"} if query.get("format") == "ndjson" else {"follow"}
    for name in elsewhere & query.keys():
        del query[name]


def _ask_sensibly(query: dict[str, Any]) -> None:
    """Leave out of a query for the past what does not go together, and ask for days that there are."""
    for name in {"as_of", "from", "to"} & query.keys():
        if _is_moment(query[name]):
            query[name] = _PAST
    for name in _FILTERED.keys() & query.keys():
        if _FILTERED[name] == "days":
            query[name] = "2026-01-01.."
    query.pop("headers", None)  # there must be as many as columns
    excluded: set[str] = set()
    if "as_of" in query:
        excluded = {"version", "whole_up_to", *_OF_PAGES}
    elif "whole_up_to" in query:
        excluded = _OF_PAGES
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
    """Remember the position that a command reached, as browsers do by cookie."""
    for value in response.headers.get(POSITION_HEADER.lower(), []):
        reported = LogPosition.parse(value)
        if reported and (_Client.reached is None or reported.position > _Client.reached.position):
            _Client.reached = reported


@schemathesis.check
def shows_no_canary(_context: CheckContext, response: Response, _case: Case[Any]) -> None:
    """Look for what nobody may see who asks here."""
    text = response.content.decode(errors="replace").lower() + str(response.headers).lower()
    if found := [canary for canary in _CANARIES if canary in text]:
        raise AssertionError(f"personal data: {found}")
