"""What the OpenAPI document says of who has seen a record."""

from typing import Any, Final, get_args

from pydantic import Field

from ops.base.access_log.showing import Kind
from projections.tables import EntityTable
from query_api.history.documentation import Actor, Erased, Masked, Moment, RequestId
from query_api.http.openapi import Closed, found_as, operation

_KINDS: Final = list(get_args(Kind))


class View(Closed):
    """That somebody was shown personal data of a record, or may have been."""

    number: int = Field(examples=[10001])
    moment: Moment
    actor: Actor
    route: str = Field(examples=["/api/v1/drivers/{entity_id}"])
    kind: Kind = Field(description="what the answer was", examples=_KINDS)
    fields: list[str] = Field(description="which personal fields were in it", examples=[["name"]])
    request_id: RequestId
    filter: dict[str, Any] | None = Field(
        description="what was asked for, by parameters' names; `q` is null where it may have named"
        " somebody who is forgotten"
    )
    count: int | None = Field(description="how many rows or changes were in it, if that was known")
    masked: Masked
    erased: Erased


class Views(Closed):
    """A part of the views."""

    content: list[View]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


def of_seen_by(table: EntityTable) -> dict[str, Any]:
    """Describe who has seen a record."""
    return operation(
        f"viewers_of_{table.entity.name}",
        "Who has seen its personal data",
        found_as(Views, {}),
        description="Lists and exports are among them that may have shown it.",
        may_be_missing=True,
    )
