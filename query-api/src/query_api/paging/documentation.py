"""What the OpenAPI document says of pages."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from projections.search_terms import sortable_fields
from projections.tables import EntityTable
from query_api.openapi import parameter
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE
from query_api.parameters import MAX_TEXT

DESCRIPTION: Final = f"""Without parameters: all rows, ordered by id. With any of `page`, `size`, `sort` and
`q`: one page, and `page` tells which. Left out, `page` is 0, `size` {DEFAULT_SIZE}, `sort` `id,asc`, and `q`
empty. A page beyond the last is empty. Each may be given once; what is given wrongly is refused with 422."""

_PAGE_EXAMPLE: Final[JsonDict] = {"size": 20, "number": 0, "totalElements": 1, "totalPages": 1}


class Page(BaseModel):
    """Which page of the list this is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _PAGE_EXAMPLE})

    size: int = Field(ge=1, le=MAX_SIZE, description="rows a page has at most")
    number: int = Field(ge=0, le=MAX_PAGE, description="counted from 0")
    totalElements: int = Field(ge=0, description="rows on all pages")  # noqa: N815
    totalPages: int = Field(ge=0)  # noqa: N815


def page_parameters(table: EntityTable) -> list[dict[str, Any]]:
    """Describe the parameters that ask for a page of a list."""
    fields = sortable_fields(table)
    text_field = table.entity.searched[1]
    return [
        parameter(
            "page",
            "Which page, counted from 0",
            {"type": "integer", "minimum": 0, "maximum": MAX_PAGE},
            {"first": 0, "third": 2},
        ),
        parameter(
            "size",
            "Rows a page has at most",
            {"type": "integer", "minimum": 1, "maximum": MAX_SIZE},
            {"usual": DEFAULT_SIZE, "largest": MAX_SIZE},
        ),
        parameter(
            "sort",
            "Field and direction. Numbers are sorted by value, dates and times by date, `id` as in the whole "
            "list, other texts by their characters' code points without regard to case. Rows without a value "
            "come last in both directions; equal ones are ordered by id, so pages never overlap.",
            {
                "type": "string",
                "enum": [f"{name},{direction}" for name in fields for direction in ("asc", "desc")],
            },
            {"ascending": f"{text_field},asc", "descending": f"{text_field},desc"},
        ),
        parameter(
            "q",
            "Only rows that contain this, without regard to case, in one of "
            f"{_listed(table.entity.searched)}. No character stands for others.",
            {"type": "string", "maxLength": MAX_TEXT, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$"},
            {"part of a text": "ud"},
        ),
    ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
