"""An assignment: who drives a horse with which trailers, and when."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Final

from pydantic import Field, ValidationInfo, field_validator

from command_api.domain.aggregate import ConsistentAggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.marks import (
    Example,
    Note,
    PublicId,
    PublicMoment,
    References,
    Searched,
    Unique,
)
from command_api.domain.rules import ListOf, Moment, OneOf, RecordId, broken
from command_api.domain.state import State
from ops.base.records.entities import EntityType

LICENCE: Final = "driving_license_expiry"
LICENCE_ENDS: Final = "licence_ends"
UNAVAILABLE: Final = "unavailable"
WARNINGS: Final = (LICENCE_ENDS, UNAVAILABLE)
UNAVAILABLE_STATUSES: Final = ("Out of Service", "Maintenance")
OPEN_TIME: Final = timedelta(days=30)
"""The part of a time without an end in which a licence must not end without a confirmation."""

_TIME: Final = ("starts_at", "ends_at")


class AssignmentDetails(Details):
    """An assignment: who drives a horse with which trailers, and when."""

    horse: Annotated[
        str,
        RecordId("Horse is required"),
        References("horse"),
        Unique(_TIME),
        PublicId(),
        Field(description="id of the horse"),
        Searched(),
        Example("HRS-3W8N1ZTB"),
    ]
    driver: Annotated[
        str | None,
        RecordId(),
        References("driver"),
        Unique(_TIME),
        PublicId(),
        Field(description="id of the driver"),
        Searched(),
        Example("EMP-0042"),
    ] = None
    trailers: Annotated[
        list[str],
        ListOf(RecordId("Must be the id of a record")),
        References("trailer"),
        Unique(_TIME),
        PublicId(),
        Field(description="ids of the trailers"),
        Example(["TRL-7G4K9QXM"]),
    ] = Field(default_factory=list)
    starts_at: Annotated[
        str,
        Moment("Start is required"),
        PublicMoment(),
        Field(description="from when it holds, RFC 3339"),
        Example("2026-11-21T04:00:00.000Z"),
    ]
    ends_at: Annotated[
        str | None,
        Moment(),
        PublicMoment(),
        Field(description="until when it holds, this moment excluded; null: open"),
        Example("2026-11-28T04:00:00.000Z"),
    ] = None
    location: Annotated[
        str | None,
        RecordId(),
        References("location"),
        PublicId(),
        Field(description="id of the location where it begins"),
        Example("LOC-5D2R6YVC"),
    ] = None
    note: Annotated[Note, Example("Replaces the driver on leave")] = None
    confirmed: Annotated[
        list[str],
        ListOf(OneOf(WARNINGS)),
        Field(description="warnings in spite of which it was assigned"),
        Example([]),
    ] = Field(default_factory=list)

    @field_validator("ends_at")
    @classmethod
    def _is_after_start(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and value <= info.data.get("starts_at", ""):
            raise broken("Must be after the start")
        return value


class Assignment(ConsistentAggregate):
    """An assignment, whose driver and vehicles must be able to drive."""

    def objection(self, details: Mapping[str, Any], other: State, now: datetime) -> str | None:
        """Return why a record must not be assigned; None if it may."""
        start, end = details["starts_at"], details["ends_at"]
        if other.entity == "driver":
            last_day = other.details[LICENCE]
            if last_day < start[:10]:
                return "licence_expired"
            open_end = date.fromisoformat(start[:10]) + OPEN_TIME
            # A time that ends at midnight does not include that day.
            ends = (end[:10] if end[10:] > "T00:00:00.000Z" else _day_before(end)) if end else str(open_end)
            return LICENCE_ENDS if last_day < ends else None
        is_over = end is not None and datetime.fromisoformat(end) <= now
        is_unavailable = other.details.get("status") in UNAVAILABLE_STATUSES
        return UNAVAILABLE if is_unavailable and not is_over else None


def _day_before(moment: str) -> str:
    return str(date.fromisoformat(moment[:10]) - timedelta(days=1))


DEFINITION = Definition(
    EntityType("assignment", "assignments", "/api/v1/assignments", None),
    AssignmentDetails,
    Assignment,
    "ASG-9K3V5RXB",
    id_may_be_given=False,
    id_prefix="ASG-",
    shows_times=True,
)
