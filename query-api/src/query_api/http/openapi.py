"""Registration of query routes, with their OpenAPI description."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_COOKIE, POSITION_HEADER, STALE
from ops.base.http.openapi import answer_of, header, problem_responses
from ops.base.records.entities import EntityType
from query_api.http.answers import NO_CACHE

TEXT: Final = {"type": "string"}
_ETAG: Final = {"ETag": {"description": "Changes whenever the answer changes", "schema": TEXT}}
_CONSISTENCY: Final = {
    CONSISTENCY_HEADER: {
        "description": f"`{STALE}`: the write is accepted, but not visible in this answer yet",
        "schema": {"type": "string", "enum": [STALE]},
    }
}
_CONDITION: Final = header(
    "If-None-Match", "ETags of cached answers", TEXT, example='"3-5f0c0d3c8d9b-9f86d081884c"'
)
_POSITIONS: Final = [
    header(
        POSITION_HEADER,
        "`<log id>:<position>` of a command's answer: wait at most 2 s until that position is readable",
        TEXT,
    ),
    header(POSITION_COOKIE, f"As {POSITION_HEADER}; the larger one counts", TEXT) | {"in": "cookie"},
]
_ANY_PROBLEM: Final = {**problem_responses(500)[500], "description": "Any other problem"}

_Endpoint = Callable[..., Awaitable[Response]]


def query(
    router: APIRouter,
    path: str,
    name: str,
    answer: type[BaseModel] | Mapping[str, Any],
    *,
    known: Mapping[str, Any] = MappingProxyType({}),
    cache_control: str = NO_CACHE,
    content: Mapping[str, Any] = MappingProxyType({}),
    headers: Mapping[str, Any] = MappingProxyType({}),
    parameters: Sequence[Mapping[str, Any]] = (),
    waits: bool = True,
    refusals: Sequence[int] = (),
    redirect: str | None = None,
    links: Mapping[str, Any] = MappingProxyType({}),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[[_Endpoint], _Endpoint]:
    """Return a decorator that adds an endpoint as GET and HEAD; its docstring is the description.

    Args:
        answer: the model of the answer, or OpenAPI's media type objects by media type.
        known: values for the model's example; see `example_of`.
        content: further media type objects of the answer.
        headers: further headers of the answer.
        parameters: further request headers.
        waits: whether the query waits for the position of a command.
        refusals: statuses in addition to those implied by path, query and permissions.
        redirect: what the address of a 307 is; None: the query does not redirect.
        more: further members of the operation.
    """
    is_cached = "no-store" not in cache_control
    consistency = _CONSISTENCY if waits else {}
    headers = {
        "Cache-Control": {"schema": {**TEXT, "const": cache_control}},
        **{name: {"schema": TEXT} for name in ("Vary", "X-Request-Id")},
        **(_ETAG if is_cached else {}),
        **consistency,
        **headers,
    }
    if isinstance(answer, Mapping):
        found: dict[str, Any] = {"description": "Found", "headers": headers, "content": answer}
    else:
        found = answer_of(answer, "Found", headers, known)
        found["content"] |= content
    responses: dict[int | str, dict[str, Any]] = {200: {**found, "links": {**links}}, "default": _ANY_PROBLEM}
    if is_cached:
        responses[304] = {"description": "Not modified", "headers": headers}
    if waits and "{" in path:
        responses[404] = {**problem_responses(404)[404], "headers": consistency}
    if redirect is not None:
        location = {"Location": {"description": redirect, "schema": TEXT}}
        responses[307] = {"description": "Found elsewhere", "headers": {**consistency, **location}}
    extra = {
        "parameters": [
            *([_CONDITION] if is_cached else []),
            *(_POSITIONS if waits else []),
            *parameters,
        ],
        **more,
    }

    def add(endpoint: _Endpoint) -> _Endpoint:
        router.add_api_route(
            path, endpoint, methods=["GET", "HEAD"], include_in_schema=False, openapi_extra=extra
        )
        router.add_api_route(
            path,
            endpoint,
            methods=["GET"],
            name=name,
            responses=responses | problem_responses(*refusals),
            openapi_extra=extra,
        )
        return endpoint

    return add


def example_of_change(entity: EntityType) -> dict[str, Any]:
    """Return an example change of an entity type."""
    field, value = next((name, value) for name, value in entity.example.items() if name != "id")
    named = {"entity": entity.name, "id": entity.example["id"], "type": f"{entity.name}.details_changed"}
    return {**named, "field": field, "from": f"another {field}", "to": value, "value": value}
