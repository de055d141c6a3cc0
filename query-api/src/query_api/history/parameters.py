"""What is asked of a history: which part of it, and between which versions."""

from typing import Annotated, Final, Literal

from pydantic import Field

from query_api.history.points import MAX_VERSION
from query_api.http.parameters import PLAIN_TEXT, QueryParameters, one_of, whole_number
from query_api.http.parts import PartParameters

_VERSION: Final = whole_number(0, MAX_VERSION)


class HistoryParameters(PartParameters):
    """A part of an entity's history."""

    order: Annotated[Literal["asc", "desc"], one_of("asc", "desc", message="Must be asc or desc")] = Field(
        "asc", description="By default the oldest first", examples=["desc"]
    )
    field: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes of this field", examples=["city"]
    )
    actor: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes by this subject", examples=["dev|asha"]
    )


class DiffParameters(QueryParameters):
    """From one version to another; 0 is before the first."""

    first: Annotated[int, _VERSION] = Field(alias="from", description="The one version", examples=[1])
    last: Annotated[int, _VERSION] = Field(alias="to", description="The other version", examples=[2])
