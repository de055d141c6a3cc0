"""Which documents are asked for: until when they are good, of what kind, and which page of them."""

import re
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field

from query_api.http.parameters import BadParameter, QueryParameters, one_of, parameter, whole_number
from query_api.paging.view import MAX_PAGE

DOCUMENTS: Final = {"licence": "driving_license_expiry", "passport": "passport_expiry_date"}
"""The fields that say the last day of a driver's documents, by what the documents are called."""

DEFAULT_SIZE: Final = 100
MAX_SIZE: Final = 500

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _day(text: str) -> str:
    try:
        if _DAY.fullmatch(text):
            date.fromisoformat(text)
            return text
    except ValueError:
        pass
    raise BadParameter("Must be a day as YYYY-MM-DD")


DAY: Final = parameter(_day, Annotated[str, Field(json_schema_extra={"format": "date"})])
"""Reads a day; it is kept as text, which sorts as days do."""


class DueParameters(QueryParameters):
    """What a request asks of due dates."""

    since: Annotated[str | None, DAY] = Field(
        None,
        alias="from",
        description="Only documents whose last day is not before this one",
        examples=["2026-11-21"],
    )
    until: Annotated[str, DAY] = Field(
        description="Only documents whose last day is not after this one", examples=["2026-12-21"]
    )
    document: Annotated[Literal["licence", "passport"] | None, one_of(*DOCUMENTS)] = Field(
        None, description="Only these", examples=["licence"]
    )
    page: Annotated[int, whole_number(0, MAX_PAGE)] = Field(
        0, description="Which page, counted from 0", examples=[0, 2]
    )
    size: Annotated[int, whole_number(1, MAX_SIZE)] = Field(
        DEFAULT_SIZE, description="Documents a page has at most", examples=[DEFAULT_SIZE, MAX_SIZE]
    )

    @property
    def documents(self) -> tuple[str, ...]:
        """The kinds of document that are asked for."""
        return tuple(DOCUMENTS) if self.document is None else (self.document,)
