"""What is asked of a receipt, and of what is held."""

from typing import Annotated, Literal

from pydantic import Field

from query_api.history.parameters import MAX_VERSION
from query_api.http.parameters import QueryParameters, one_of, whole_number


class ReceiptParameters(QueryParameters):
    """Which of a record's erasures."""

    version: Annotated[int | None, whole_number(1, MAX_VERSION)] = Field(
        None, description="The record's, with which it was erased; by default the last time", examples=[7]
    )


class HeldParameters(QueryParameters):
    """In which form what is held is told."""

    format: Annotated[Literal["json", "html"], one_of("json", "html")] = Field(
        "json", description="`html`: a page to print", examples=["html"]
    )
