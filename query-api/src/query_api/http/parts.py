"""What is asked of anything that is answered part by part."""

from typing import Annotated, Final, Literal

from pydantic import Field

from query_api.http.parameters import QueryParameters, one_of, whole_number

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_CURSOR: Final = 2**53 - 1
PASSED_ON: Final = Annotated[str, Field(pattern="^[0-9]{1,15}$")]
"""Clients pass a cursor on as it was told."""


class PartParameters(QueryParameters):
    """A part of a history or a timeline."""

    cursor: Annotated[int | None, whole_number(0, MAX_CURSOR, described=PASSED_ON)] = Field(
        None, description="`next` of the part before", examples=["1"]
    )
    limit: Annotated[int, whole_number(1, MAX_LIMIT)] = Field(
        DEFAULT_LIMIT, description="How many at most", examples=[10]
    )
    order: Annotated[Literal["asc", "desc"], one_of("asc", "desc")] = Field(
        "asc", description="By default the oldest first", examples=["desc"]
    )

    @property
    def descending(self) -> bool:
        """Whether the latest comes first; the part then begins before its cursor, otherwise after it."""
        return self.order == "desc"
