"""What is asked of the access log."""

from typing import Annotated, Literal

from pydantic import Field

from query_api.http.parameters import PartParameters, one_of


class AccessParameters(PartParameters):
    """A part of the access log."""

    show: Annotated[Literal["reveals", "views"], one_of("reveals", "views")] = Field(
        "reveals",
        description="Who looked behind the masks of exports, or who was shown personal data at all",
        examples=["views"],
    )
