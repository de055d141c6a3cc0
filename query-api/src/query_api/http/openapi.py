"""What the descriptions of all queries share."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_COOKIE, POSITION_HEADER, STALE
from ops.base.http.openapi import header, problem_responses
from ops.base.records.entities import EntityType
from query_api.http.answers import NO_CACHE

TEXT: Final = {"type": "string"}
ETAG: Final = {"ETag": {"description": "Changes whenever the answer does", "schema": TEXT}}
CONSISTENCY: Final = {
    CONSISTENCY_HEADER: {
        "description": f"`{STALE}`: what was written is accepted, but not visible in this answer yet",
        "schema": {"type": "string", "enum": [STALE]},
    }
}
CONSISTENCY_PARAMETERS: Final = [
    header(
        "If-None-Match", "ETags of answers that the client has", TEXT, example='"3-5f0c0d3c8d9b-9f86d081884c"'
    ),
    header(
        POSITION_HEADER,
        "`<log id>:<position>` of a command's answer: wait, at most 2 s, until it can be read",
        TEXT,
    ),
    header(POSITION_COOKIE, f"As {POSITION_HEADER}; the larger one counts", TEXT) | {"in": "cookie"},
]
# Describing "default" also keeps FastAPI from promising a 422 of its own, which is never answered.
ANY_PROBLEM: Final = {**problem_responses(500)[500], "description": "Any other problem"}


class Closed(BaseModel):
    """An answer's shape, in which there is nothing else."""

    model_config = ConfigDict(extra="forbid")


def headers_of_answer(cache_control: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the headers of an answer: those of all answers, and more."""
    kept = {"schema": {**TEXT, "const": cache_control}}
    return {"Cache-Control": kept, "Vary": {"schema": TEXT}, "X-Request-Id": {"schema": TEXT}, **more}


def found(
    answer: Mapping[str, Any], example: Any, headers: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Describe an answer that has what was asked for.

    Args:
        answer: its shape: a JSON Schema.
        example: of such an answer.
        headers: that only this answer has.
    """
    return {
        "description": "Found",
        "headers": headers_of_answer(NO_CACHE, {**ETAG, **CONSISTENCY, **headers}),
        "content": {"application/json": {"schema": answer, "example": example}},
    }


def found_as(answer: type[BaseModel], known: Mapping[str, Any]) -> dict[str, Any]:
    """Describe an answer that has the shape of a model; see `found`, and `example_of`."""
    described = found({}, example_of(answer.model_json_schema(), known))
    del described["content"]["application/json"]["schema"]
    return {"model": answer, **described}


def example_of(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return an example of what a JSON Schema describes, made of the examples that its parts have.

    Args:
        schema: with its definitions.
        known: values of members by their names, wherever these are single. What is not known is null.
    """
    definitions = schema.get("$defs", {})

    def example(part: Mapping[str, Any]) -> Any:
        part = {**part, **part.get("anyOf", [{}])[0]}
        part |= definitions[part["$ref"].rpartition("/")[2]] if "$ref" in part else {}
        match part:
            case {"examples": [value, *_]} | {"const": value}:
                return value
            case {"properties": members}:
                members = {name: of for name, of in members.items() if name in part.get("required", members)}
                single = {name for name, of in members.items() if "$ref" not in of} & known.keys()
                return {name: known[name] if name in single else example(of) for name, of in members.items()}
            case {"items": item}:
                return [example(item)]
        return None

    return example(schema)


def example_of_change(entity: EntityType) -> dict[str, Any]:
    """Return what examples say of a change of an entity type, by the members' names."""
    field, value = next((name, value) for name, value in entity.example.items() if name != "id")
    named = {"entity": entity.name, "id": entity.example["id"], "type": f"{entity.name}.details_changed"}
    return {**named, "field": field, "from": f"another {field}", "to": value, "value": value}


def operation(
    name: str,
    summary: str,
    answer: dict[str, Any],
    *,
    description: str | None = None,
    parameters: list[dict[str, Any]] = CONSISTENCY_PARAMETERS,
    refusals: tuple[int, ...] = (401, 422, 503),
    may_be_missing: bool = False,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Describe GET of something, as a route takes it; what its query may say, its endpoint declares.

    Args:
        name: its operation id.
        summary: what it gives.
        answer: what it answers, as `found` has it.
        description: more about it.
        parameters: its headers and cookies.
        refusals: what it may answer instead.
        may_be_missing: whether there may be no such thing.
        more: of OpenAPI's own members.
    """
    missing = {404: {**problem_responses(404)[404], "headers": CONSISTENCY}} if may_be_missing else {}
    return {
        "name": name,
        "summary": summary,
        "description": description,
        "responses": {
            200: answer,
            304: {"description": "The client has it already", "headers": answer["headers"]},
            **problem_responses(*refusals),
            **missing,
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": parameters, **more},
    }


def add_query(
    router: APIRouter, path: str, endpoint: Callable[..., Awaitable[Response]], description: dict[str, Any]
) -> None:
    """Add a query's route: it answers HEAD, which is GET without a body, too; the document describes GET."""
    extra = description.get("openapi_extra")
    router.add_api_route(
        path, endpoint, methods=["GET", "HEAD"], include_in_schema=False, openapi_extra=extra
    )
    router.add_api_route(path, endpoint, methods=["GET"], **description)
