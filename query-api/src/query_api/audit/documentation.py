"""What the OpenAPI document says of the audit trail."""

from typing import Any, Final

from pydantic import Field

from ops.base.records.entities import ENTITY_TYPES
from query_api.audit.accesses import REVEALED_EXPORT
from query_api.audit.runs import MOST_COUNTED
from query_api.history.documentation import Change, Erased, Masked, Moment, RequestId
from query_api.http.answers import NO_CACHE
from query_api.http.openapi import TEXT, Closed, example_of_change, found_as, operation

_CHANGE: Final = example_of_change(ENTITY_TYPES[0])


class Run(Closed):
    """A run, such as an import, for which its last change stands."""

    changes: dict[str, int] = Field(
        description="how many it has, by their types", examples=[{"driver.registered": 12}]
    )
    is_whole: bool = Field(
        description=f"false: it has more than {MOST_COUNTED}, of which the last are counted"
    )


class AuditChange(Change):
    """One change of any entity."""

    entity: str
    id: str
    record_name: str | None = Field(
        description="what the record was called then, or before it was removed; null: it has no name, or that"
        " is not told",
        examples=["NL01 AB 1234"],
    )
    run: Run | None = Field(default=None, description="with `runs=once`, of a run only")


class AuditTrail(Closed):
    """A part of the timeline. It may be short, and have a next part all the same: looking took long, or
    changes are long."""

    content: list[AuditChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class Day(Closed):
    """How many changes a day had."""

    day: str = Field(examples=["2026-11-21"])
    changes: int = Field(examples=[12])


class Days(Closed):
    """The days that have changes, the oldest first; where looking took long, the last ones alone so far."""

    zone: str = Field(examples=["Asia/Kolkata"])
    first: str = Field(examples=["2026-08-23"])
    last: str = Field(examples=["2026-11-21"])
    content: list[Day]
    next: str | None = Field(
        description="`cursor` of the part before, of which the counts are to be added; null after the last"
    )


class Access(Closed):
    """That somebody looked at what is otherwise masked."""

    number: int = Field(examples=[1])
    moment: Moment
    actor: dict[str, str | None] = Field(examples=[{"sub": "dev|asha", "name": "Asha Menon"}])
    request_id: RequestId
    action: str = Field(examples=[REVEALED_EXPORT])
    details: dict[str, Any] = Field(
        examples=[{"format": "csv", "filter": {"entity": ENTITY_TYPES[0].name}}],
    )
    masked: Masked
    erased: Erased


class Accesses(Closed):
    """A part of the access log."""

    content: list[Access]
    next: str | None


def of_audit() -> dict[str, Any]:
    """Describe the timeline."""
    described = found_as(AuditTrail, _CHANGE)
    described["content"] |= {"text/csv": {"schema": TEXT}, "application/x-ndjson": {}}
    described["headers"] |= {
        "Cache-Control": {
            "description": "an export is not to be kept",
            "schema": {"type": "string", "enum": [NO_CACHE, "private, no-store"]},
        }
    }
    return operation(
        "audit_trail",
        "Everything that happened, to anything",
        described,
        description="As `csv` or `ndjson` everything that matches is streamed; the values of personal fields,"
        " people's names, reasons and clients' request ids are masked there, unless `reveal` asks for them,"
        " which the access log records. Without `personal:read` all forms are masked.",
    )


def of_days() -> dict[str, Any]:
    """Describe the counts by days."""
    return operation(
        "audit_days",
        "How many changes each day had",
        found_as(Days, {}),
        description="Under the filters of the audit trail; days begin as a time zone's clocks have it.",
    )


def of_access_log() -> dict[str, Any]:
    """Describe the access log."""
    return operation(
        "access_log",
        "Who looked behind the masks, or had workers do something",
        found_as(Accesses, {}),
        parameters=[],
    )
