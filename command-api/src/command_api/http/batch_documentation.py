"""What the OpenAPI document says of batches."""

from typing import Any, Final

from command_api.domain.definition import Definition
from command_api.http.batch_rows import Batch
from command_api.http.documentation import REASON, json_body, refusals
from ops.base.http.openapi import POSITION
from ops.base.records.control_characters import NO_CONTROLS

_OUTCOMES: Final = ("new", "changed", "removed", "unchanged", "refused", "conflict", "unconfirmed")
_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
_ERROR: Final = {
    "type": "object",
    "required": ["field", "message", "pointer"],
    "properties": {name: {"type": "string"} for name in ("field", "message", "pointer")},
}
_ROW: Final[dict[str, Any]] = {
    "type": "object",
    "required": [
        *("key", "id", "outcome", "version", "fields"),
        *("validation_errors", "detail", "changed_since"),
    ],
    "additionalProperties": False,
    "properties": {
        "key": {"type": "string", "description": "the row's"},
        "id": {**_TEXT_OR_NULL, "description": "of the record; the server may have made it"},
        "outcome": {
            "enum": list(_OUTCOMES),
            "description": "`conflict`: the record is no more what its version says. `unconfirmed`: send the"
            " row again as it is",
        },
        "version": {"type": ["integer", "null"], "description": "of the record, afterwards"},
        "fields": {
            "type": "array",
            "items": {"type": "string"},
            "description": "which are given a value, or another one",
        },
        "validation_errors": {"type": "array", "items": _ERROR},
        "detail": {**_TEXT_OR_NULL, "description": "why not, as a sentence"},
        "changed_since": {
            "type": "array",
            "items": {"type": "object"},
            "description": "what others have done since the version, as a 412 tells it",
        },
    },
}
_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["rows"],
    "additionalProperties": False,
    "properties": {"rows": {"type": "array", "items": _ROW, "description": "in the order of the request"}},
}


def of_batch(definition: Definition) -> dict[str, Any]:
    """Describe POST to `batches`."""
    collection = definition.entity_type.collection
    values = dict(list(definition.example.items())[:1])
    row = {"key": "2", "id": definition.example_id, "values": values}
    told: dict[str, Any] = {"validation_errors": [], "detail": None, "changed_since": []}
    outcome = {"outcome": "changed", "version": 3, "fields": list(values), **told}
    schema = Batch.model_json_schema()
    rows = schema.pop("$defs")["BatchRow"]
    schema["properties"]["rows"]["items"] = rows
    rows["properties"]["values"] = {
        **rows["properties"]["values"],
        "propertyNames": {"pattern": NO_CONTROLS},
        "additionalProperties": {"$ref": "#/components/schemas/JsonValue"},
    }
    request = {"batch": "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "dry_run": True, "rows": [row]}
    return {
        "name": f"carry_out_{collection}",
        "summary": f"Save, change, remove or undo many {collection}",
        "description": "Each row is a command of its own, under the rules of single ones: `save` registers"
        " a record, or changes what it has; `change` and `remove` are about one that is there; `undo` takes"
        " back what made its `version`, unless others have changed the same since. `values` is a merge patch"
        " (RFC 7396). Else with `version` a row is carried out only if the record still has it."
        " Within a `batch` a `key` that comes again is answered as it was first. Where the server gives"
        " ids, a row without one gets an id made of `source` and `key`, so that the same file never makes"
        " two of it. With `dry_run` nothing is changed: it tells what would become of each row.",
        "status_code": 200,
        "response_model": None,
        "responses": {
            200: {
                "description": "What became of each row",
                "headers": {**POSITION},
                "content": {
                    "application/json": {
                        "schema": _ANSWER,
                        "example": {"rows": [{"key": "2", "id": definition.example_id, **outcome}]},
                    }
                },
            },
            **refusals(400, 401, 413, 415, 422, 503),
        },
        "openapi_extra": {"parameters": [REASON], "requestBody": json_body(schema, request)},
    }
