"""Answers of the list routes."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from ops.base.http.openapi import Closed
from query_api.paging.choices import MOST_CHOICES
from query_api.paging.view import MAX_PAGE, MAX_SIZE

PAGE_EXAMPLE: Final[JsonDict] = {"size": 20, "number": 0, "totalElements": 1, "totalPages": 1}


class Page(BaseModel):
    """The page of a list."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": PAGE_EXAMPLE})

    size: int = Field(ge=1, le=MAX_SIZE, description="Maximum number of rows")
    number: int = Field(ge=0, le=MAX_PAGE, description="Number of the page, from 0")
    totalElements: int = Field(ge=0, description="Rows on all pages")  # noqa: N815
    totalPages: int = Field(ge=0)  # noqa: N815


NAMES: Final[JsonDict] = {
    name: {"type": "object", "description": description, "additionalProperties": {"type": "string"}}
    for name, description in {
        "names": "With `names=true`: present names of the records in `content`, such as"
        ' `{"driver:EMP-0042": "Ravi Kumar"}`. Records that were removed, erased or restricted have none, and'
        " drivers have none without `personal:read`",
        "merged": "With `names=true`: ids of the records into which those in `content` were merged, such as"
        ' `{"driver:EMP-0043": "EMP-0042"}`; `names` has the names of these',
    }.items()
}


class Choice(Closed):
    """A value of a field."""

    value: str = Field(description="As written in the first row that has it", examples=["Pune"])
    count: int = Field(ge=1, description="Number of rows that have it", examples=[1])


class Choices(Closed):
    """The values of a field."""

    choices: list[Choice] = Field(max_length=MOST_CHOICES)
    more: bool = Field(description="Whether values are left out", examples=[False])
