"""The OpenAPI documents: what follows from a route's declaration is derived from it."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Annotated, Any, Final

from fastapi import FastAPI, Path
from fastapi.encoders import jsonable_encoder
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from ops.base.http.consistency import POSITION_HEADER
from ops.base.http.problems import MEDIA_TYPE
from ops.base.permissions import Permission
from ops.base.records.entities import ID_PATTERN
from ops.base.sign_in.dependency import SCHEME, requirement_of

# For the description only: an id of another form identifies nothing, which is 404 and not 422.
EntityId = Annotated[str, Path(description="The record's id", json_schema_extra={"pattern": ID_PATTERN})]
SUBJECT: Final = "The user's permanent id at the identity provider"
Subject = Annotated[str, Path(description=SUBJECT)]

REFERENCE: Final = "#/components/schemas/{model}"
_TEXT: Final = {"type": "string"}
ETAG: Final = {
    "ETag": {"description": "Version of the record, for `If-Match`; quoted and opaque", "schema": _TEXT}
}
POSITION: Final = {
    POSITION_HEADER: {
        "description": "Send it with a query to read the effect of this command; browsers do, by cookie",
        "schema": _TEXT,
    }
}
_CHALLENGE: Final = {"WWW-Authenticate": {"schema": _TEXT}}
_RETRY: Final = {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}}
_KNOWN: Final = "x-known"
"""Member of an answer's description until `_complete` adds the example."""
_HEADERS: Final[dict[int, dict[str, Any]]] = {401: _CHALLENGE, 403: _CHALLENGE, 429: _RETRY, 503: _RETRY}


class Closed(BaseModel):
    """A JSON object without further members."""

    model_config = ConfigDict(extra="forbid")


class FieldError(Closed):
    """A broken rule of one field."""

    field: str = Field(examples=["address_1"])
    message: str = Field(examples=["Primary address is required"])
    pointer: str = Field(examples=["#/address_1"])


class ProblemDetails(BaseModel):
    """Problem details (RFC 9457)."""

    type: str = Field(examples=["urn:fleetlog:problem:validation-failed"])
    title: str
    status: int
    detail: str
    request_id: str
    validation_errors: list[FieldError] = []
    missing_permissions: list[Annotated[str, Field(json_schema_extra={"enum": list(Permission)})]] = Field(
        default=[], description="With 403: the permissions that the access token lacks"
    )
    current_version: int = Field(default=0, description="With 412: the current version")
    record: str | None = Field(default=None, description="The other record that prevents the command")
    into: str | None = Field(default=None, description="The record into which this one was merged")
    changed_since: list[dict[str, Any]] = Field(
        default=[],
        description="With 412: the changes after the version of `If-Match`, with their actors and fields;"
        " empty if the data has been restored from a backup since",
    )
    changes_left_out: int = Field(
        default=0, description="With 412: the number of earlier changes that `changed_since` leaves out"
    )


def header(name: str, description: str, schema: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the description of a request header."""
    return {"name": name, "in": "header", "description": description, "schema": schema, **more}


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of error answers."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "headers": _HEADERS.get(status, {}),
            "content": {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(model="Problem")}}},
        }
        for status in statuses
    }


def answer_of(
    model: type[BaseModel],
    description: str,
    headers: Mapping[str, Any],
    known: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the description of an answer whose body is a model's JSON; for `known` see `example_of`.

    The document gets the example when it is first requested: examples take a third of the time in which the
    query API's routes are built.
    """
    content: dict[str, Any] = {"application/json": {}}
    shown = {"description": description, "headers": headers, "content": content}
    return {"model": model, **shown, _KNOWN: {**known}}


def example_of(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return an example for a JSON Schema, made from the examples of its parts.

    Args:
        known: values of scalar members by name; members without any example are null.
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


def complete_openapi(app: FastAPI, schemas: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Complete an application's document: error answers, permissions, and schemas that it refers to."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                openapi_version="3.1.0",
            )
            known = document.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):  # of FastAPI; never answered
                known.pop(name, None)
            problem = ProblemDetails.model_json_schema(ref_template=REFERENCE)
            for member in problem["properties"].values():
                member.pop("default", None)  # optional members are left out
            known |= {**problem.pop("$defs"), "Problem": problem, **schemas}
            for route in app.routes:
                if isinstance(route, APIRoute) and route.include_in_schema:
                    for method in route.methods or ():
                        _complete(document["paths"][route.path_format][method.lower()], route, known)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _complete(operation: dict[str, Any], route: APIRoute, schemas: dict[str, Any]) -> None:
    """Add the error answers that follow from a route's path, query, body and permissions."""
    needed = requirement_of(route)
    statuses = {401, 429, 503} if needed else set()
    ways = needed.ways if needed else []
    if any(ways):
        # For schemes without scopes, OpenAPI 3.1 lists roles here (Security Requirement Object).
        operation["security"] = [{SCHEME: way} for way in ways]
        statuses.add(403)
    if "{" in route.path:
        statuses.add(404)
    if route.dependant.query_params:
        statuses.add(422)
    if needed and "requestBody" in operation:
        statuses |= {413, 415, 422}
        (body,) = operation["requestBody"]["content"].values()
        schemas |= body["schema"].pop("$defs", {})
    declared = {str(status) for status in route.responses} | {str(route.status_code or 200)}
    responses = {str(status): response for status, response in problem_responses(*statuses).items()}
    responses |= {status: of for status, of in operation["responses"].items() if status in declared}
    for status, of in route.responses.items():
        if responses[str(status)].pop(_KNOWN, None) is not None:
            example = example_of(of["model"].model_json_schema(mode="serialization"), of[_KNOWN])
            shown = responses[str(status)]["content"]["application/json"]
            shown["example"] = jsonable_encoder(example, exclude_none=True)  # as FastAPI treats its own
    operation["responses"] = dict(sorted(responses.items()))
