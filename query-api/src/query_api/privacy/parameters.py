"""What is asked of a receipt."""

from typing import Annotated

from pydantic import Field

from query_api.history.points import MAX_VERSION
from query_api.parameters import QueryParameters, whole_number


class ReceiptParameters(QueryParameters):
    """Which of a record's erasures."""

    version: Annotated[int | None, whole_number(1, MAX_VERSION)] = Field(
        None, description="The record's, with which it was erased; by default the last time", examples=[7]
    )
