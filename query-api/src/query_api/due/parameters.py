"""Query parameters of due dates."""

from typing import Annotated, Final, Literal

from pydantic import Field

from query_api.http.parameters import QueryParameters, one_of, parameter, read_day, whole_number
from query_api.paging.view import MAX_PAGE

DOCUMENTS: Final = {"licence": "driving_license_expiry", "passport": "passport_expiry_date"}
"""The driver's field with a document's last valid day, by document."""

DEFAULT_SIZE: Final = 100
MAX_SIZE: Final = 500

DAY: Final = parameter(
    lambda text: read_day(text).isoformat(), Annotated[str, Field(json_schema_extra={"format": "date"})]
)


class DueParameters(QueryParameters):
    """Query parameters of due dates; days are texts, which sort by date."""

    since: Annotated[str | None, DAY] = Field(
        None,
        alias="from",
        description="Only documents whose last day is not before this day",
        examples=["2026-11-21"],
    )
    until: Annotated[str, DAY] = Field(
        description="Only documents whose last day is not after this day", examples=["2026-12-21"]
    )
    document: Annotated[Literal["licence", "passport"] | None, one_of(*DOCUMENTS)] = Field(
        None, description="Only documents of this kind", examples=["licence"]
    )
    page: Annotated[int, whole_number(0, MAX_PAGE)] = Field(
        0, description="Number of the page, from 0", examples=[0, 2]
    )
    size: Annotated[int, whole_number(1, MAX_SIZE)] = Field(
        DEFAULT_SIZE, description="Maximum number of documents", examples=[DEFAULT_SIZE, MAX_SIZE]
    )

    @property
    def documents(self) -> tuple[str, ...]:
        """The wanted kinds of document."""
        return tuple(DOCUMENTS) if self.document is None else (self.document,)
