"""What the OpenAPI document says of the routes, derived from the definitions."""

from typing import Any

from command_api.domain.definition import Definition
from command_api.domain.described import details_schema, record_example, record_schema
from command_api.domain.json_values import MAX_NUMBER
from command_api.domain.rules import BLANK_TEXT
from command_api.http.request_headers import MAX_REASON
from ops.base.entities import ID_PATTERN, RESERVED_IDS
from ops.base.openapi import ETAG, POSITION, problem_responses

_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes sending the command again safe: for 24 hours at least, a repeat is answered as the"
    " first request was, refusals included, and another request with the key is answered 422.",
    "schema": {"type": "string", "pattern": r"^[\x21-\x7e]{1,255}$"},
}
_REASON = {
    "name": "X-Change-Reason",
    "in": "header",
    "required": False,
    "description": f"Why; kept with the change. At most {MAX_REASON} characters, percent-encoded as UTF-8.",
    # Of what may be encoded, ASCII: a pattern for UTF-8 would say little to anybody.
    "schema": {
        "type": "string",
        "pattern": r"^(?:[\x20-\x24\x26-\x7e]|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))*$",
        "maxLength": MAX_REASON,
    },
    "example": "as told on the telephone",
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag that the change builds on; a version alone, quoted, will do. Without it the"
    " change is made to what is there.",
    "schema": {"type": "string"},
    "example": '"3"',
}
_GIVEN_ID: dict[str, Any] = {
    "type": "string",
    "pattern": ID_PATTERN,
    "not": {"enum": sorted(RESERVED_IDS)},
}
_NO_ID: dict[str, Any] = {"type": ["string", "null"], "pattern": BLANK_TEXT}
_KNOWN_ID: dict[str, Any] = {
    "type": ["string", "null"],
    "pattern": ID_PATTERN,
    "description": "If given, the one in the address: it cannot be changed",
}
_NAMES: dict[str, Any] = {"pattern": r"^[^\x00]*$"}
_ANY_VALUE: dict[str, Any] = {"$ref": "#/components/schemas/JsonValue"}
SCHEMAS: dict[str, Any] = {
    "JsonValue": {
        "description": "Any JSON that all readers can read (RFC 7493): no NUL, numbers of 53 bits, not deep",
        "anyOf": [
            {"type": ["null", "boolean"]},
            {"type": "string", **_NAMES},
            {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
            {"type": "array", "items": _ANY_VALUE},
            {"type": "object", "propertyNames": _NAMES, "additionalProperties": _ANY_VALUE},
        ],
    }
}
"""What the bodies' schemas refer to."""

# Refusals that come of what has happened to the record tell from where on it can be read.
_REFUSAL_HEADERS: dict[int, dict[str, Any]] = {404: POSITION, 409: POSITION, 412: {**ETAG, **POSITION}}


def of_registration(definition: Definition) -> dict[str, Any]:
    """Describe POST."""
    location = {"description": "Address of the new record", "schema": {"type": "string"}}
    return {
        "name": f"register_{definition.name}",
        "summary": f"Register a {definition.name}",
        "status_code": 201,
        "responses": {
            201: _record_response(definition, "Registered", {"Location": location}),
            **_refusals(400, 401, 409, 413, 415, 422, 503),
        },
        "openapi_extra": {
            "parameters": [_IDEMPOTENCY_KEY, _REASON],
            "requestBody": _request_body(definition, new=True),
        },
    }


def of_change(definition: Definition) -> dict[str, Any]:
    """Describe PUT."""
    return {
        "name": f"change_{definition.name}",
        "summary": f"Replace a {definition.name}'s details",
        "responses": {
            200: _record_response(definition, "Changed, or already so", {}),
            **_refusals(400, 401, 404, *_by_rules(definition, "change"), 412, 413, 415, 422, 503),
        },
        "openapi_extra": {
            "parameters": [_IDEMPOTENCY_KEY, _IF_MATCH, _REASON],
            "requestBody": _request_body(definition, new=False),
        },
    }


def of_removal(definition: Definition) -> dict[str, Any]:
    """Describe DELETE."""
    return {
        "name": f"remove_{definition.name}",
        "summary": f"Remove a {definition.name}",
        "description": "Removing what has been removed already succeeds again, and changes nothing.",
        "status_code": 204,
        "responses": {
            204: {"description": "Removed", "headers": {**POSITION}},
            **_refusals(400, 401, 404, *_by_rules(definition, "remove"), 412, 422, 503),
        },
        "openapi_extra": {"parameters": [_IDEMPOTENCY_KEY, _IF_MATCH, _REASON]},
    }


def of_restoration(definition: Definition) -> dict[str, Any]:
    """Describe POST to `restore`."""
    version = {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER}
    return {
        "name": f"restore_{definition.name}",
        "summary": f"Bring a {definition.name} back to what it was at a version",
        "description": "A change like any other: nothing of the history is rewritten. What was removed is"
        " registered again.",
        "responses": {
            200: _record_response(definition, "Restored, or already so", {}),
            **_refusals(400, 401, 404, *_by_rules(definition, "register", "change"), 412, 413, 415, 422, 503),
        },
        "openapi_extra": {
            "parameters": [_IDEMPOTENCY_KEY, _IF_MATCH, _REASON],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {
                            "type": "object",
                            "properties": {"version": version},
                            "required": ["version"],
                            "additionalProperties": False,
                        },
                        "example": {"version": 1},
                    }
                },
            },
        },
    }


def _by_rules(definition: Definition, *decisions: str) -> tuple[int, ...]:
    """Return how a decision is refused that has rules of the type's own."""
    return (409,) if any(decision in vars(definition.aggregate) for decision in decisions) else ()


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    responses = problem_responses(*statuses)
    for status, headers in _REFUSAL_HEADERS.items():
        if status in responses:
            responses[status]["headers"] = headers
    return responses


def _request_body(definition: Definition, *, new: bool) -> dict[str, Any]:
    schema = details_schema(definition, "validation")
    if new and definition.given_id_required:
        schema["required"] = ["id", *schema["required"]]
    own_id = {"id": definition.example_id} if definition.given_id_required else {}
    ignored = {**_ANY_VALUE, "description": "The server's own; what is sent is ignored"}
    properties = {
        "id": _new_id(definition) if new else _KNOWN_ID,
        **{name: _storable(field) for name, field in schema["properties"].items()},
        "created_at": ignored,
        "updated_at": ignored,
    }
    return {
        "required": True,
        "content": {
            "application/json": {
                "schema": {**schema, "properties": properties},
                "example": {**own_id, **definition.example},
            }
        },
    }


def _storable(field: dict[str, Any]) -> dict[str, Any]:
    """Say of a free-form object what may be in it."""
    if field.get("additionalProperties") is not True:
        return field
    return {**field, "propertyNames": _NAMES, "additionalProperties": _ANY_VALUE}


def _new_id(definition: Definition) -> dict[str, Any]:
    if definition.given_id_required:
        return _GIVEN_ID
    if definition.id_may_be_given:
        return {"anyOf": [_GIVEN_ID, _NO_ID], "description": "Left out, the server gives one"}
    return {**_NO_ID, "description": "The server gives it"}


def _record_response(definition: Definition, description: str, headers: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": description,
        "headers": {**headers, **ETAG, **POSITION},
        "content": {
            "application/json": {
                "schema": _answer_schema(definition),
                "example": definition.entity_type.wrap(record_example(definition)),
            }
        },
        "links": _links(definition),
    }


def _links(definition: Definition) -> dict[str, Any]:
    """What can be done next with the record that an answer shows, building on exactly what it shows."""
    wrapper = definition.entity_type.wrapper
    parameters = {
        "entity_id": f"$response.body#/{wrapper}/id" if wrapper else "$response.body#/id",
        "If-Match": "$response.header.ETag",
    }
    return {
        name: {"operationId": name, "parameters": parameters}
        for name in (f"change_{definition.name}", f"remove_{definition.name}")
    }


def _answer_schema(definition: Definition) -> dict[str, Any]:
    record, wrapper = record_schema(definition), definition.entity_type.wrapper
    if wrapper is None:
        return record
    return {"type": "object", "properties": {wrapper: record}, "required": [wrapper]}
