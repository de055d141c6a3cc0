"""The answers of queries of the audit trail."""

from typing import Any

from pydantic import Field

from ops.base.http.openapi import Closed
from ops.base.records.entities import ENTITY_TYPES
from query_api.audit.accesses import REVEALED_EXPORT
from query_api.audit.statements import MOST_COUNTED
from query_api.history.models import Change, Erased, Masked, Moment, RequestId


class Run(Closed):
    """A run, such as an import, of which the trail shows the last change."""

    changes: dict[str, int] = Field(
        description="Number of changes by type", examples=[{"driver.registered": 12}]
    )
    is_whole: bool = Field(description=f"false: only the last {MOST_COUNTED} changes are counted")


class AuditChange(Change):
    """One change of any entity."""

    entity: str
    id: str
    record_name: str | None = Field(
        description="The record's name then, or before it was removed; null if it has none or is masked",
        examples=["NL01 AB 1234"],
    )
    run: Run | None = Field(default=None, description="With `runs=once`, for changes of a run")


class AuditTrail(Closed):
    """A page of the audit trail. A short page may have a next one."""

    content: list[AuditChange]
    next: str | None = Field(description="`cursor` of the next page; null after the last")


class Day(Closed):
    """The number of changes of a day."""

    day: str = Field(examples=["2026-11-21"])
    changes: int = Field(examples=[12])


class Days(Closed):
    """The days that have changes, the oldest first; a page may hold only the last ones."""

    zone: str = Field(examples=["Asia/Kolkata"])
    first: str = Field(examples=["2026-08-23"])
    last: str = Field(examples=["2026-11-21"])
    content: list[Day]
    next: str | None = Field(
        description="`cursor` of the page before, whose counts are to be added; null after the last"
    )


class Access(Closed):
    """An entry of the access log."""

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
    """A page of the access log."""

    content: list[Access]
    next: str | None
