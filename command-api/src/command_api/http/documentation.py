"""What the OpenAPI document says of the routes, derived from the definitions."""

from typing import Any

from command_api.domain.definition import Definition
from command_api.domain.described import details_schema, record_example, record_schema
from command_api.domain.json_values import MAX_NUMBER
from command_api.domain.rules import BLANK_TEXT
from command_api.http.answering import MADE_HEADER
from command_api.http.entity_body import Restoration
from command_api.http.request_headers import MAX_REASON
from ops.base.http.openapi import ETAG, POSITION, header, problem_responses
from ops.base.records.control_characters import NO_CONTROLS
from ops.base.records.entities import ID_PATTERN, RESERVED_IDS
from ops.base.records.entities import entity_type as released
from ops.base.records.masks import masked_schema

IDEMPOTENCY_KEY = header(
    "Idempotency-Key",
    "Makes sending the command again safe: for 24 hours at least, a repeat is answered as the"
    " first request was, refusals included, and another request with the key is answered 422.",
    {"type": "string", "pattern": r"^[\x21-\x7e]{1,255}$"},
)
# Of what may be encoded, ASCII: a pattern for UTF-8 would say little to anybody.
_ASCII = r"^(?:[\x20-\x24\x26-\x7e]|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))*$"
REASON = header(
    "X-Change-Reason",
    f"Why; kept with the change. At most {MAX_REASON} characters, percent-encoded as UTF-8.",
    {"type": "string", "pattern": _ASCII, "maxLength": MAX_REASON},
    example="as told on the telephone",
)
IF_MATCH = header(
    "If-Match",
    "The ETag that the change builds on; a version alone, quoted, will do. A tag that a proxy has weakened"
    " (`W/`) counts as well, because it still names the version. Without it the change is made to what is"
    " there.",
    {"type": "string"},
    example='"3"',
)
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
_NAMES: dict[str, Any] = {"pattern": NO_CONTROLS}
_ANY_VALUE: dict[str, Any] = {"$ref": "#/components/schemas/JsonValue"}
SCHEMAS: dict[str, Any] = {
    "JsonValue": {
        "description": "Any JSON that all readers can read (RFC 7493): numbers of 53 bits, not deep, and no"
        " control characters but tabs and line ends",
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

MADE: dict[str, Any] = {
    MADE_HEADER: {
        "description": "The version that the command has made, which `undo` takes; missing where it has"
        " changed nothing",
        "schema": {"type": "integer"},
    }
}
# Refusals that come of what has happened to the record tell from where on it can be read.
_REFUSAL_HEADERS: dict[int, dict[str, Any]] = {404: POSITION, 409: POSITION, 412: {**ETAG, **POSITION}}


NOT_SHOWN: dict[int, dict[str, Any]] = {
    204: {
        "description": "Done; `fleet:read` is needed to be shown the record",
        "headers": {**ETAG, **POSITION, **MADE},
    }
}


def of_registration(definition: Definition) -> dict[str, Any]:
    """Describe POST."""
    location = {"description": "Address of the new record", "schema": {"type": "string"}}
    answer = record_answer(definition, "Registered", {"Location": location})
    body = _request_body(definition, new=True)
    return command(definition, "register", f"Register a {definition.name}", {201: answer}, body)


def of_change(definition: Definition) -> dict[str, Any]:
    """Describe PUT."""
    answer = record_answer(definition, "Changed, or already so", {})
    body = _request_body(definition, new=False)
    return {
        **command(
            definition, "change", f"Replace a {definition.name}'s details", {200: answer, **NOT_SHOWN}, body
        ),
        "description": "Without `personal:read` personal data stays as it is: it is left out, or null as it"
        " was shown, and `masked` may be sent back.",
    }


def of_removal(definition: Definition) -> dict[str, Any]:
    """Describe DELETE."""
    return {
        **command(
            definition,
            "remove",
            f"Remove a {definition.name}",
            {204: {"description": "Removed", "headers": {**POSITION, **MADE}}},
        ),
        "description": "Removing what has been removed already succeeds again, and changes nothing.",
    }


def of_restoration(definition: Definition) -> dict[str, Any]:
    """Describe POST to `restore`."""
    answer = record_answer(definition, "Restored, or already so", {})
    summary = f"Bring a {definition.name} back to what it was at a version"
    body = json_body(Restoration.model_json_schema(), {"version": 1})
    return {
        **command(definition, "restore", summary, {200: answer, **NOT_SHOWN}, body),
        "description": "A change like any other: nothing of the history is rewritten. What was removed is"
        " registered again.",
    }


def command(
    definition: Definition,
    verb: str,
    summary: str,
    answer: dict[int, dict[str, Any]],
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Describe a command, as a route takes it: it may have a body, and be about a record that is there."""
    is_new, (status, *_) = verb == "register", answer
    statuses = {400, 401, 422, 503} | ({409} if is_new else {404, 409, 412})
    return {
        "name": f"{verb}_{definition.name}",
        "summary": summary,
        "status_code": status,
        "responses": {**answer, **refusals(*sorted(statuses | ({413, 415} if body else set())))},
        "openapi_extra": {
            "parameters": [IDEMPOTENCY_KEY, *([] if is_new else [IF_MATCH]), REASON],
            **({"requestBody": body} if body else {}),
        },
    }


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe how a command is refused."""
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
    return json_body({**schema, "properties": properties}, {**own_id, **definition.example})


def json_body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    """Describe a request's body."""
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


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


def record_answer(definition: Definition, description: str, headers: dict[str, Any]) -> dict[str, Any]:
    """Describe the answer that shows a record."""
    return {
        "description": description,
        "headers": {**headers, **ETAG, **POSITION, **MADE},
        "content": {
            "application/json": {
                "schema": definition.entity_type.wrap_schema(_shown(definition)),
                "example": definition.entity_type.wrap(record_example(definition)),
            }
        },
        "links": _links(definition),
    }


def _shown(definition: Definition) -> dict[str, Any]:
    """Describe a record, as it is shown to those who may see personal data, and to others."""
    schema = record_schema(definition)
    if not definition.personal:
        return schema
    return {"anyOf": [schema, masked_schema(released(definition.name), schema)]}


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
