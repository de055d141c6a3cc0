"""What the OpenAPI document says of the audit trail."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from ops.base.entities import ID_PATTERN
from ops.base.openapi import problem_responses
from query_api.audit.parameters import DEFAULT_LIMIT, ENTITIES, FORMATS, MAX_LIMIT
from query_api.history.documentation import Change
from query_api.openapi import (
    ANY_PROBLEM,
    CONSISTENCY_PARAMETERS,
    NOT_MODIFIED,
    found,
    parameter,
    part_parameters,
)
from query_api.parameters import MAX_TEXT

_MOMENT: Final = "2026-11-21T04:10:45.123456Z"
_ENTITY: Final = {"type": "string", "enum": [*ENTITIES]}
_FORMAT: Final = {"type": "string", "enum": [*FORMATS]}
_TEXT: Final = {"type": "string", "maxLength": MAX_TEXT, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$"}
_INSTANT: Final = {"type": "string", "format": "date-time"}
_ACTOR: Final = {"sub": "dev|asha", "name": "Asha Menon"}
_PARTS: Final = part_parameters(default=DEFAULT_LIMIT, maximum=MAX_LIMIT)


class AuditChange(Change):
    """One change of any entity."""

    entity: str
    id: str


class AuditTrail(BaseModel):
    """A part of the timeline. It may be short, and have a next part all the same: looking took long, or
    changes are long."""

    model_config = ConfigDict(extra="forbid")

    content: list[AuditChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class Access(BaseModel):
    """That somebody looked at what is otherwise masked."""

    model_config = ConfigDict(extra="forbid")

    number: int
    moment: str
    actor: dict[str, str | None]
    request_id: str
    action: str
    details: dict[str, Any]


class Accesses(BaseModel):
    """A part of the access log."""

    model_config = ConfigDict(extra="forbid")

    content: list[Access]
    next: str | None


def of_audit() -> dict[str, Any]:
    """Describe the timeline."""
    example = {
        "content": [
            {
                "position": 42,
                "entity": "driver",
                "id": "EMP-001",
                "version": 2,
                "type": "driver.details_changed",
                "moment": _MOMENT,
                "actor": _ACTOR,
                "request_id": "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b",
                "client_request_id": None,
                "reason": None,
                "changes": [{"field": "city", "from": "Ludhiana", "to": "Pune"}],
            }
        ],
        "next": None,
    }
    described = found(AuditTrail, example)
    described["content"] |= {"text/csv": {"schema": {"type": "string"}}, "application/x-ndjson": {}}
    described["headers"] |= {
        "Cache-Control": {
            "description": "an export is not to be kept",
            "schema": {"type": "string", "enum": ["private, no-cache", "private, no-store"]},
        }
    }
    return _of(
        "audit_trail",
        "Everything that happened, to anything",
        "As `csv` or `ndjson` everything that matches is streamed; the values of personal fields, people's"
        " names, reasons and clients' request ids are masked there, unless `reveal` asks for them, which the"
        " access log records.",
        described,
        [
            parameter("entity", "Only this type", _ENTITY, {"drivers": "driver"}),
            parameter("id", "Only this id", {"type": "string", "pattern": ID_PATTERN}, {"one": "EMP-001"}),
            parameter(
                "actor",
                "Only changes by this subject, or by whom the event stream calls so",
                _TEXT,
                {"a person": "dev|asha"},
            ),
            parameter(
                "type",
                "Only this kind of change",
                _TEXT,
                {"of any entity": "removed", "of one": "driver.removed"},
            ),
            parameter("field", "Only changes of this field", _TEXT, {"a field": "city"}),
            parameter("from", "Not before this instant", _INSTANT, {"in UTC": _MOMENT}),
            parameter("to", "Before this instant", _INSTANT, {"in UTC": _MOMENT}),
            parameter(
                "q",
                "Only what contains this: ids, people, requests, reasons, values",
                _TEXT,
                {"a word": "Pune"},
            ),
            parameter("format", "json by default", _FORMAT, {"a table": "csv"}),
            parameter(
                "reveal",
                "Export without masks",
                {"type": "string", "enum": ["true", "false"]},
                {"masked": "false"},
            ),
            *_PARTS,
            *CONSISTENCY_PARAMETERS,
        ],
    )


def of_access_log() -> dict[str, Any]:
    """Describe the access log."""
    example = {
        "content": [
            {
                "number": 1,
                "moment": _MOMENT,
                "actor": _ACTOR,
                "request_id": "5f1c",
                "action": "audit-export-revealed",
                "details": {"format": "csv", "filter": {"entity": "driver"}},
            }
        ],
        "next": None,
    }
    return _of("access_log", "Who looked behind the masks", "", found(Accesses, example), _PARTS)


def _of(
    name: str, summary: str, description: str, answer: dict[str, Any], parameters: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "name": name,
        "summary": summary,
        "description": description,
        "responses": {
            200: answer,
            304: NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": parameters},
    }
