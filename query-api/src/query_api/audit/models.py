"""Answers of the audit trail's routes."""

from pydantic import Field

from ops.base.http.openapi import Closed
from query_api.audit.statements import MOST_COUNTED
from query_api.history.models import Change


class Run(Closed):
    """A batch, such as an import, represented by its last change."""

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
        description="`cursor` of the previous page, whose counts must be added; null after the last"
    )
