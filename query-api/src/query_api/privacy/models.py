"""Answers of the privacy routes."""

from typing import Annotated, Literal

from pydantic import Field

from ops.base.http.openapi import Closed
from query_api.history.models import Actor, Moment

Basis = Literal["asked", "purpose-served", "unlawful", "contested"]
Day = Annotated[str, Field(examples=["2026-12-23"], json_schema_extra={"format": "date"})]


class _Request(Closed):
    """Members of every privacy request."""

    basis: Basis | None = Field(description="Why", examples=["asked"])
    due: Day | None = Field(description="When the person must be answered")
    hold_until: Day | None = Field(description="The last day of a legal hold")
    asked_at: Moment | None
    asked_by: Actor | None = Field(description="The user who restricted the record")
    erased_at: Moment | None = Field(description="When the erasure was decided")
    erased_by: Actor | None
    receipt: bool = Field(description="Whether the receipt has been issued")


class PrivacyStanding(_Request):
    """The privacy status of a record, in its newest registration, or of a user."""

    id: str = Field(examples=["EMP-001"])
    entity: str = Field(examples=["driver"])
    state: Literal["active", "restricted", "erasing", "erased"] = Field(
        description="`erasing`: decided, and no longer shown; `erased`: done, with a receipt",
        examples=["restricted"],
    )
    events: int = Field(description="Number of events about the record", examples=[6])
    in_the_clear: int = Field(
        description="Number of unencrypted events, which an erasure does not reach", examples=[0]
    )
    fields: list[str] = Field(
        description="Names of the personal fields that have a value now", examples=[["name", "city"]]
    )


class PrivacyRequest(_Request):
    """A privacy request."""

    entity: str = Field(examples=["driver"])
    id: str = Field(examples=["EMP-001"])
    state: Literal["restricted", "erasing", "erased"] = Field(examples=["restricted"])
    version: int | None = Field(description="Version of the erasure; null before it")


class PrivacyRequests(Closed):
    """The requests that were not withdrawn: open ones first, by due date, then the latest."""

    content: list[PrivacyRequest] = Field(max_length=1000)


class KnownActor(Closed):
    """A user who has acted."""

    sub: str = Field(description="The user's permanent id at the identity provider", examples=["dev|asha"])
    name: str | None = Field(description="Null if masked or erased", examples=["Asha Menon"])
    since: Moment | None = Field(description="When the user was first seen")
    state: Literal["active", "restricted", "erasing", "erased"] = Field(examples=["active"])


class KnownActors(Closed):
    """The users who have acted, by name."""

    content: list[KnownActor] = Field(max_length=10_000)
