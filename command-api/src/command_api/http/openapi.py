"""Routes of commands, and their descriptions in the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from command_api.domain.definition import Definition
from command_api.domain.rules import BLANK_TEXT, MAX_NUMBER
from command_api.domain.schemas import details_schema, record_example, record_schema
from command_api.http.requests import MAX_REASON
from command_api.http.responses import DUPLICATES_HEADER, VERSION_HEADER
from ops.base.http.openapi import ETAG, POSITION, REFERENCE, header, problem_responses
from ops.base.records.control_characters import NO_CONTROLS
from ops.base.records.entities import ID_PATTERN, RESERVED_IDS
from ops.base.records.entities import entity_type as released
from ops.base.records.masks import masked_schema

IDEMPOTENCY_KEY = header(
    "Idempotency-Key",
    "Makes retries of the command safe: for at least 24 hours, a retry is answered as the first request was,"
    " refusals included. Another request with the same key is answered 422.",
    {"type": "string", "pattern": r"^[\x21-\x7e]{1,255}$"},
)
REASON = header(
    "X-Change-Reason",
    f"The reason, stored with the change. At most {MAX_REASON} characters, percent-encoded as UTF-8.",
    # The pattern allows encoded ASCII only: one for UTF-8 would be unreadable.
    {
        "type": "string",
        "pattern": r"^(?:[\x20-\x24\x26-\x7e]|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))*$",
        "maxLength": MAX_REASON,
    },
    example="requested by telephone",
)
IF_MATCH = header(
    "If-Match",
    "The ETag of the version that the change is based on; a quoted version alone will do. A tag that a proxy"
    " has weakened (`W/`) counts as well. Without this header the command applies to the current version.",
    {"type": "string"},
    example='"3"',
)
_NAMES: dict[str, Any] = {"pattern": NO_CONTROLS}
ANY_VALUE: dict[str, Any] = {"$ref": REFERENCE.format(model="JsonValue")}
ANY_MEMBERS: dict[str, Any] = {"propertyNames": _NAMES, "additionalProperties": ANY_VALUE}
SCHEMAS: dict[str, Any] = {
    "JsonValue": {
        "description": "JSON that all parsers read alike (RFC 7493): numbers of 53 bits, bounded nesting, and"
        " no control characters but tabs and line ends",
        "anyOf": [
            {"type": ["null", "boolean"]},
            {"type": "string", **_NAMES},
            {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
            {"type": "array", "items": ANY_VALUE},
            {"type": "object", **ANY_MEMBERS},
        ],
    }
}
"""Schemas that request bodies refer to."""
CREATED_VERSION: dict[str, Any] = {
    VERSION_HEADER: {
        "description": "The version that the command created, for `undo`; absent if nothing changed",
        "schema": {"type": "integer"},
    }
}
_DUPLICATES: dict[str, Any] = {
    DUPLICATES_HEADER: {
        "description": "Fields in which the record now has the value of another one, as the operator allows,"
        " with its id if the caller may see it: a list of RFC 9651. Absent without any; a retry compares"
        " again",
        "schema": {"type": "string"},
        "example": 'passport_number;record="EMP-002"',
    }
}
NO_BODY: dict[int, dict[str, Any]] = {
    204: {
        "description": "Done; showing the record needs the permission to read it, or it is removed",
        "headers": {**ETAG, **POSITION, **CREATED_VERSION, **_DUPLICATES},
    }
}
_REFUSAL_HEADERS: dict[int, dict[str, Any]] = {404: POSITION, 409: POSITION, 412: {**ETAG, **POSITION}}


def command(
    router: APIRouter,
    method: str,
    path: str,
    name: str,
    answers: Mapping[Any, dict[str, Any]],
    *,
    body: dict[str, Any] | None = None,
    parameters: Sequence[dict[str, Any]] = (IDEMPOTENCY_KEY, IF_MATCH, REASON),
) -> Callable[[Any], Any]:
    """Return a decorator that adds an endpoint; its docstring is the description."""
    statuses = [400, 422]
    statuses += [409] if IDEMPOTENCY_KEY in parameters else []
    statuses += [404, 412] if IF_MATCH in parameters else []
    refusals = problem_responses(*statuses)
    for status in refusals.keys() & _REFUSAL_HEADERS.keys() if REASON in parameters else ():
        refusals[status]["headers"] = _REFUSAL_HEADERS[int(status)]
    extra = {"parameters": [*parameters], **({"requestBody": body} if body else {})}
    return router.api_route(
        path,
        methods=[method],
        name=name,
        status_code=int(next(iter(answers))),
        response_model=None,
        responses={**refusals, **answers},
        openapi_extra=extra,
    )


def record_body(definition: Definition, *, new: bool) -> dict[str, Any]:
    """Return the description of the body that registers or changes a record."""
    schema = details_schema(definition, "validation")
    if new and definition.given_id_required:
        schema["required"] = ["id", *schema["required"]]
    own_id = {"id": definition.example_id} if definition.given_id_required else {}
    ignored = {**ANY_VALUE, "description": "Set by the server; ignored"}
    properties = {
        "id": _new_id(definition) if new else _KNOWN_ID,
        **{
            name: {**field, **ANY_MEMBERS} if field.get("additionalProperties") is True else field
            for name, field in schema["properties"].items()
        },
        "created_at": ignored,
        "updated_at": ignored,
    }
    return json_body({**schema, "properties": properties}, {**own_id, **definition.example})


def json_body(schema: dict[str, Any] | type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a request's body, given its model or JSON Schema."""
    if isinstance(schema, type):
        schema = schema.model_json_schema(ref_template=REFERENCE)
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


_GIVEN_ID: dict[str, Any] = {"type": "string", "pattern": ID_PATTERN, "not": {"enum": sorted(RESERVED_IDS)}}
_NO_ID: dict[str, Any] = {"type": ["string", "null"], "pattern": BLANK_TEXT}
_KNOWN_ID: dict[str, Any] = {
    "type": ["string", "null"],
    "pattern": ID_PATTERN,
    "description": "If given, the id in the path: it cannot be changed",
}


def _new_id(definition: Definition) -> dict[str, Any]:
    if definition.given_id_required:
        return _GIVEN_ID
    if definition.id_may_be_given:
        return {"anyOf": [_GIVEN_ID, _NO_ID], "description": "By default set by the server"}
    return {**_NO_ID, "description": "Set by the server"}


def record_answer(definition: Definition, description: str, **headers: dict[str, Any]) -> dict[str, Any]:
    """Return the description of an answer with a record."""
    entity, schema = definition.entity_type, record_schema(definition)
    if definition.personal:
        schema = {"anyOf": [schema, masked_schema(released(definition.name), schema)]}
    parameters = {
        "entity_id": f"$response.body#/{entity.wrapper}/id" if entity.wrapper else "$response.body#/id",
        "If-Match": "$response.header.ETag",
    }
    links = (f"change_{definition.name}", f"remove_{definition.name}")
    content = {"schema": entity.wrap_schema(schema), "example": entity.wrap(record_example(definition))}
    return {
        "description": description,
        "headers": {
            **headers,
            **ETAG,
            **POSITION,
            **CREATED_VERSION,
            **(_DUPLICATES if definition.unique else {}),
        },
        "content": {"application/json": content},
        "links": {name: {"operationId": name, "parameters": parameters} for name in links},
    }
