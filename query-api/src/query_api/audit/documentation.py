"""What the OpenAPI document says of the audit trail."""

from typing import Any, Final

from pydantic import Field

from query_api.history.documentation import Change
from query_api.history.points import MOMENT
from query_api.openapi import Closed, found, operation

_ACTOR: Final = {"sub": "dev|asha", "name": "Asha Menon"}


class AuditChange(Change):
    """One change of any entity."""

    entity: str
    id: str


class AuditTrail(Closed):
    """A part of the timeline. It may be short, and have a next part all the same: looking took long, or
    changes are long."""

    content: list[AuditChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class Access(Closed):
    """That somebody looked at what is otherwise masked."""

    number: int
    moment: str
    actor: dict[str, str | None]
    request_id: str
    action: str
    details: dict[str, Any]


class Accesses(Closed):
    """A part of the access log."""

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
                "moment": MOMENT,
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
    return operation(
        "audit_trail",
        "Everything that happened, to anything",
        described,
        description="As `csv` or `ndjson` everything that matches is streamed; the values of personal fields,"
        " people's names, reasons and clients' request ids are masked there, unless `reveal` asks for them,"
        " which the access log records.",
    )


def of_access_log() -> dict[str, Any]:
    """Describe the access log."""
    example = {
        "content": [
            {
                "number": 1,
                "moment": MOMENT,
                "actor": _ACTOR,
                "request_id": "5f1c",
                "action": "audit-export-revealed",
                "details": {"format": "csv", "filter": {"entity": "driver"}},
            }
        ],
        "next": None,
    }
    return operation("access_log", "Who looked behind the masks", found(Accesses, example), parameters=[])
