"""What the OpenAPI document says of pages, and of what lists can be narrowed to."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from starlette.responses import Response

from projections.tables import EntityTable
from query_api.http.openapi import TEXT, Closed, found, found_as, operation
from query_api.paging.choices import MOST_CHOICES
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE

DESCRIPTION: Final = f"""Without parameters: all rows, ordered by id. With any of `page`, `size`, `sort` and
`q`, or what narrows the list: one page, and `page` tells which. Left out, `page` is 0, `size` {DEFAULT_SIZE},
`sort` that of all rows, and `q` empty. A page beyond the last is empty, and says how many rows there are.
What is given wrongly is refused with 422."""

_PAGE_EXAMPLE: Final[JsonDict] = {"size": 20, "number": 0, "totalElements": 1, "totalPages": 1}


_CHOICES: Final = """The values that rows have, the most frequent first, each with how many rows have it.
Values that differ in case alone are one."""

_EXPORT: Final = """RFC 4180, after a byte order mark: a line of headers, then one of each row.
What a spreadsheet might take for a formula begins with an apostrophe. What is masked reads `Hidden`, what was
erased `Erased`. It is sent as it is read: a row that is moved meanwhile may be missed, or come twice."""


class Page(BaseModel):
    """Which page of the list this is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _PAGE_EXAMPLE})

    size: int = Field(ge=1, le=MAX_SIZE, description="rows a page has at most")
    number: int = Field(ge=0, le=MAX_PAGE, description="counted from 0")
    totalElements: int = Field(ge=0, description="rows on all pages")  # noqa: N815
    totalPages: int = Field(ge=0)  # noqa: N815


class Choice(Closed):
    """A value of a field."""

    value: str = Field(description="as the first row has it that has it", examples=["Pune"])
    count: int = Field(ge=1, description="how many rows have it", examples=[1])


class Choices(Closed):
    """The values of a field."""

    choices: list[Choice] = Field(max_length=MOST_CHOICES)
    more: bool = Field(description="whether there are more, which are not told", examples=[False])


def of_choices(table: EntityTable) -> dict[str, Any]:
    """Describe GET of the values that a list can be narrowed to."""
    return operation(
        f"choices_of_{table.name}",
        f"The values that the list of {table.name} can be narrowed to",
        found_as(Choices, {}),
        description=_CHOICES,
    )


def of_export(table: EntityTable) -> dict[str, Any]:
    """Describe GET of a list as a file."""
    described = found({"type": "string"}, "\ufeffid\r\n")
    del described["headers"]["ETag"]
    described["headers"]["Content-Disposition"] = {"schema": TEXT}
    described["headers"]["Cache-Control"] = {"schema": {**TEXT, "const": "private, no-store"}}
    (content,) = described["content"].values()
    answer = operation(
        f"export_of_{table.name}",
        f"All rows of the list of {table.name}, or of what it is narrowed to, as comma-separated values",
        {**described, "content": {"text/csv": content}},
        description=_EXPORT,
    )
    del answer["responses"][304]  # nobody keeps it
    return {**answer, "response_class": Response}  # which is not JSON
