"""What the OpenAPI document says of due dates."""

from typing import Any, Final, Literal

from pydantic import Field

from projections.tables import ENTITY_TABLES
from query_api.http.openapi import Closed, found_as, operation
from query_api.paging.documentation import Page

_EXAMPLE: Final = next(table.entity.example for table in ENTITY_TABLES if table.entity.name == "driver")
_DESCRIPTION: Final = """Licences and passports whose last day is in a span, the earliest first; a document is
good on the whole of that day. Drivers who are restricted are not among them. A page beyond the last is empty,
and says how many there are."""


class DueDate(Closed):
    """A document of a driver."""

    driver: str = Field(description="the driver's id", examples=[_EXAMPLE["id"]])
    name: str | None = Field(examples=[_EXAMPLE["name"]])
    mobile_number: str | None = Field(examples=[_EXAMPLE["mobile_number_1"]])
    document: Literal["licence", "passport"] = Field(examples=["licence"])
    date: str = Field(
        description="the last day on which it is good",
        examples=[_EXAMPLE["driving_license_expiry"]],
        json_schema_extra={"format": "date"},
    )


class DueDates(Closed):
    """A page of them."""

    content: list[DueDate]
    page: Page


def of_due_dates() -> dict[str, Any]:
    """Describe what is due."""
    page = {"size": 100, "number": 0, "totalElements": 1, "totalPages": 1}
    return operation(
        "due_dates",
        "Documents of drivers that have expired or will",
        found_as(DueDates, page),
        description=_DESCRIPTION,
    )
