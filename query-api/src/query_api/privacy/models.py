"""The answers of queries of restrictions and erasures."""

from typing import Annotated, Literal

from pydantic import Field

from ops.base.http.openapi import Closed
from query_api.history.models import Actor, Moment

Basis = Literal["asked", "purpose-served", "unlawful", "contested"]
Day = Annotated[str, Field(examples=["2026-12-23"], json_schema_extra={"format": "date"})]


class _Asked(Closed):
    """A request, wherever it is told."""

    basis: Basis | None = Field(description="why", examples=["asked"])
    due: Day | None = Field(description="when who has asked for it is to be answered")
    hold_until: Day | None = Field(description="the last day on which it must be kept")
    asked_at: Moment | None
    asked_by: Actor | None = Field(description="who has restricted it")
    erased_at: Moment | None = Field(description="when that was decided")
    erased_by: Actor | None
    receipt: bool = Field(description="whether its receipt is there")


class PrivacyStanding(_Asked):
    """How it stands with a record: with its newest life, if its id was registered again after an erasure."""

    id: str = Field(examples=["EMP-001"])
    entity: str = Field(examples=["driver"])
    state: Literal["active", "restricted", "erasing", "erased"] = Field(
        description="`erasing`: it is decided, and shown nowhere; `erased`: it is done, with a receipt",
        examples=["restricted"],
    )
    events: int = Field(description="how many events are about it", examples=[6])
    in_the_clear: int = Field(
        description="how many of them are not sealed, so that erasing does not reach them", examples=[0]
    )
    fields: list[str] = Field(
        description="its personal fields that have a value now; names only", examples=[["name", "city"]]
    )


class PrivacyRequest(_Asked):
    """What was asked for."""

    entity: str = Field(examples=["driver"])
    id: str = Field(examples=["EMP-001"])
    state: Literal["restricted", "erasing", "erased"] = Field(examples=["restricted"])
    version: int | None = Field(description="the record's, with which it was erased; null before")


class PrivacyRequests(Closed):
    """What was asked for and not withdrawn: what is open first, by when it is due, then the latest."""

    content: list[PrivacyRequest] = Field(max_length=1000)


class KnownActor(Closed):
    """Somebody who acts."""

    sub: str = Field(description="the identity provider's subject", examples=["dev|asha"])
    name: str | None = Field(description="null where it is masked, or was erased", examples=["Asha Menon"])
    since: Moment | None = Field(description="when they were first seen")
    state: Literal["active", "restricted", "erasing", "erased"] = Field(examples=["active"])


class KnownActors(Closed):
    """Those who act, by name."""

    content: list[KnownActor] = Field(max_length=10_000)
