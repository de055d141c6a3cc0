"""What the OpenAPI document says of pages."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE

DESCRIPTION: Final = f"""Without parameters: all rows, ordered by id. With any of `page`, `size`, `sort` and
`q`, or what narrows the list: one page, and `page` tells which. Left out, `page` is 0, `size` {DEFAULT_SIZE},
`sort` `id,asc`, and `q` empty. A page beyond the last is empty, and says how many rows there are. What is
given wrongly is refused with 422."""

_PAGE_EXAMPLE: Final[JsonDict] = {"size": 20, "number": 0, "totalElements": 1, "totalPages": 1}


class Page(BaseModel):
    """Which page of the list this is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _PAGE_EXAMPLE})

    size: int = Field(ge=1, le=MAX_SIZE, description="rows a page has at most")
    number: int = Field(ge=0, le=MAX_PAGE, description="counted from 0")
    totalElements: int = Field(ge=0, description="rows on all pages")  # noqa: N815
    totalPages: int = Field(ge=0)  # noqa: N815
