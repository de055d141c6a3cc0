"""What the OpenAPI document says of what is restricted or erased."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from ops.base.http.openapi import problem_responses
from ops.base.records.entities import EntityType
from query_api.history.documentation import Actor, Moment
from query_api.http.openapi import (
    ANY_PROBLEM,
    CONSISTENCY,
    CONSISTENCY_PARAMETERS,
    Closed,
    example_of,
    headers_of_answer,
)

KEPT: Final = "private, no-store"
_RECEIPT: Final = {"type": "object", "description": "What was erased where, when and for what reason; signed"}
_RECEIPT_EXAMPLE: Final = {"entity": "driver", "id": "EMP-001", "version": 7}

MEDIA_TYPES: Final = {"json": "application/json", "html": "text/html; charset=utf-8"}
_HELD: Final = {
    "type": "object",
    "description": "All that is known of it, every change, who has seen it, and where it is kept",
    "required": ["format", "entity", "id", "standing", "record", "changes", "seen_by", "places"],
}
_HELD_EXAMPLE: Final = {
    "format": "fleetlog-held/1",
    "entity": "driver",
    "id": "EMP-001",
    "standing": {"state": "active"},
    "record": {"id": "EMP-001", "name": "Ravi Kumar"},
    "changes": [],
    "seen_by": [],
    "places": [],
}

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


def of_standing(entity: EntityType) -> dict[str, Any]:
    """Describe how it stands with a record."""
    return _operation(
        f"privacy_of_{entity.name}",
        "Whether it is restricted or erased, and what is known of it",
        _answer(PrivacyStanding),
        may_be_missing=True,
    )


def of_receipt(entity: EntityType) -> dict[str, Any]:
    """Describe the receipt of an erasure."""
    answer = {
        "description": "Issued",
        "headers": headers_of_answer(KEPT, CONSISTENCY),
        "content": {"application/json": {"schema": _RECEIPT, "example": _RECEIPT_EXAMPLE}},
    }
    return _operation(f"receipt_of_{entity.name}", "The receipt of its erasure", answer, may_be_missing=True)


def of_held(entity: EntityType) -> dict[str, Any]:
    """Describe what is held about a record."""
    answer = {
        "description": "Found",
        "headers": headers_of_answer(KEPT, CONSISTENCY),
        "content": {
            "application/json": {"schema": _HELD, "example": _HELD_EXAMPLE},
            "text/html": {"schema": {"type": "string"}, "example": "<!doctype html>"},
        },
    }
    return {
        **_operation(f"held_of_{entity.name}", "All that is held about it", answer, may_be_missing=True),
        "description": "For whoever asks what is known of them (GDPR article 15): JSON, or a page to print.",
    }


def of_actors() -> dict[str, Any]:
    """Describe those who act."""
    return {
        **_operation("actors", "Those who act, and what they are called", _answer(KnownActors)),
        "description": "All whom the directory of actors knows. Names need `personal:read` besides.",
    }


def of_requests() -> dict[str, Any]:
    """Describe what was asked for."""
    return _operation("privacy_requests", "Who is restricted or erased", _answer(PrivacyRequests))


def _answer(model: type[BaseModel]) -> dict[str, Any]:
    return {
        "model": model,
        "description": "Found",
        "headers": headers_of_answer(KEPT, CONSISTENCY),
        "content": {"application/json": {"example": example_of(model.model_json_schema(), {})}},
    }


def _operation(
    name: str, summary: str, answer: dict[str, Any], *, may_be_missing: bool = False
) -> dict[str, Any]:
    return {
        "name": name,
        "summary": summary,
        "description": "Needs `privacy:restrict` or `privacy:erase`.",
        "responses": {
            200: answer,
            **problem_responses(401, 422, 503, *([404] if may_be_missing else [])),
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": CONSISTENCY_PARAMETERS[1:]},
    }
