"""What the OpenAPI document says of restricting, holding and erasing."""

from typing import Any, Final

from command_api.domain.definition import Definition
from command_api.http.documentation import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    REASON,
    json_body,
    refusals,
)
from command_api.http.restriction import HoldBody, RestrictionBody
from ops.base.http.openapi import POSITION

_DAY: Final = {"type": "string", "format": "date"}
_STANDING: Final[dict[str, Any]] = {
    "type": "object",
    "description": "How it stands; what comes after `state` is told while it is restricted",
    "required": ["id", "version", "state"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "version": {"type": "integer", "description": "the record's"},
        "state": {"enum": ["active", "restricted", "erasing"]},
        "basis": {"type": "string"},
        "due": _DAY,
        "hold_until": {**_DAY, "type": ["string", "null"]},
        "asked_by": {
            "type": "string",
            "description": "who has restricted it: the provider's permanent id",
        },
    },
}
_RESTRICTED: Final[dict[str, Any]] = {
    "version": 7,
    "state": "restricted",
    "basis": "asked",
    "due": "2026-12-23",
    "hold_until": None,
    "asked_by": "dev|ingrid",
}


def of_restriction(definition: Definition) -> dict[str, Any]:
    """Describe POST to `restriction`."""
    return {
        **_command(
            definition,
            "restrict",
            f"Restrict what is done with the data of {_one(definition)}",
            200,
            json_body(RestrictionBody.model_json_schema(), {"basis": "asked"}),
        ),
        "description": "Reads mask it for everyone without `privacy:restrict`, lists for everyone, and"
        " commands on it are refused. It stays so after a removal. `asked`: the person asks to be forgotten;"
        " `purpose-served`: it is not needed any more; `unlawful`: it should never have been there;"
        " `contested`: whether it is right is to be settled, so it is not to be erased. `due` is 30 days from"
        " now unless said.",
    }


def of_hold(definition: Definition) -> dict[str, Any]:
    """Describe PUT to `restriction/hold`."""
    return {
        **_command(
            definition,
            "hold",
            f"Set or end a legal hold on a restricted {definition.name}",
            200,
            json_body(HoldBody.model_json_schema(), {"until": None}),
        ),
        "description": "Until the end of that day (UTC) it cannot be erased. Why is said in"
        " `X-Change-Reason`, without which no hold is set; null ends it.",
    }


def of_lifting(definition: Definition) -> dict[str, Any]:
    """Describe DELETE of `restriction`."""
    return _command(definition, "lift", f"Lift the restriction of {_one(definition)}", 204)


def of_erasure(definition: Definition) -> dict[str, Any]:
    """Describe POST to `erasure`."""
    schema = {
        "type": "object",
        "required": ["confirm"],
        "additionalProperties": False,
        "properties": {"confirm": {"type": "string", "description": "the id in the address"}},
    }
    return {
        **_command(
            definition,
            "erase",
            f"Have a restricted {definition.name} forgotten",
            202,
            json_body(schema, {"confirm": definition.example_id}),
        ),
        "description": "By another person than who restricted it, and after its hold. It cannot be undone:"
        " the key that all of it is sealed under is destroyed, so it is gone from the log, its copies and its"
        " backups. A receipt follows.",
    }


def _one(definition: Definition) -> str:
    return f"{'an' if definition.name[0] in 'aeiou' else 'a'} {definition.name}"


def _command(
    definition: Definition, verb: str, summary: str, status: int, body: dict[str, Any] | None = None
) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": "Decided", "headers": {**POSITION}}
    if status != 204:
        example = _RESTRICTED if status == 200 else {"version": 8, "state": "erasing"}
        example = {"id": definition.example_id, **example}
        answer["content"] = {"application/json": {"schema": _STANDING, "example": example}}
    statuses = {400, 401, 404, 409, 412, 422, 503} | ({413, 415} if body else set())
    return {
        "name": f"{verb}_{definition.name}",
        "summary": summary,
        "status_code": status,
        "responses": {status: answer, **refusals(*sorted(statuses))},
        "openapi_extra": {
            "parameters": [IDEMPOTENCY_KEY, IF_MATCH, REASON],
            **({"requestBody": body} if body else {}),
        },
    }
