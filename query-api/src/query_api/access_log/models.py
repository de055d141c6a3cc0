"""Answers of the access log's routes."""

from typing import Any, get_args

from pydantic import Field

from ops.base.access_log.views import Kind
from ops.base.http.openapi import Closed
from ops.base.records.entities import ENTITY_TYPES
from query_api.access_log.reveals import REVEALED_EXPORT
from query_api.history.models import Actor, Erased, Masked, Moment, RequestId


class View(Closed):
    """An answer that contained, or may have contained, personal data of a record."""

    number: int = Field(examples=[10001])
    moment: Moment
    actor: Actor
    route: str = Field(examples=["/api/v1/drivers/{entity_id}"])
    kind: Kind = Field(description="Kind of the answer", examples=list(get_args(Kind)))
    fields: list[str] = Field(description="Personal fields of the answer", examples=[["name"]])
    request_id: RequestId
    filter: dict[str, Any] | None = Field(
        description="Query parameters; `q` is null if it may have contained the name of an erased person"
    )
    count: int | None = Field(description="Number of rows or changes of the answer, if known")
    masked: Masked
    erased: Erased


class Views(Closed):
    """A page of views."""

    content: list[View]
    next: str | None = Field(description="`cursor` of the next page; null after the last")


class Access(Closed):
    """An entry of the access log."""

    number: int = Field(examples=[1])
    moment: Moment
    actor: dict[str, str | None] = Field(examples=[{"sub": "dev|asha", "name": "Asha Menon"}])
    request_id: RequestId
    action: str = Field(examples=[REVEALED_EXPORT])
    details: dict[str, Any] = Field(
        examples=[{"format": "csv", "filter": {"entity": ENTITY_TYPES[0].name}}],
    )
    masked: Masked
    erased: Erased


class Accesses(Closed):
    """A page of the access log."""

    content: list[Access]
    next: str | None
