"""What the OpenAPI document says of histories."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from ops.base.openapi import problem_responses
from projections.tables import EntityTable
from query_api.history.parameters import DEFAULT_LIMIT, MAX_LIMIT
from query_api.history.points import MAX_VERSION
from query_api.openapi import (
    ANY_PROBLEM,
    CONSISTENCY_PARAMETERS,
    NOT_MODIFIED,
    found,
    parameter,
    part_parameters,
)
from query_api.parameters import MAX_TEXT

AS_OF_HEADER: Final = "Fleetlog-As-Of"
_MOMENT: Final = "2026-11-21T04:10:45.123456Z"
_TEXT: Final = {"type": "string", "maxLength": MAX_TEXT, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$"}
_VERSION: Final = {"type": "integer", "minimum": 0, "maximum": MAX_VERSION}

AS_OF: Final = parameter(
    "as_of",
    "What was then: an instant of the past, as RFC 3339 has it, with its time zone",
    {"type": "string", "format": "date-time"},
    {"in UTC": _MOMENT, "with an offset": "2026-11-21T09:40:45+05:30"},
)
VERSION: Final = parameter(
    "version",
    "What was at this version; not together with `as_of`",
    {**_VERSION, "minimum": 1},
    {"the first": 1},
)
AS_OF_HEADERS: Final = {
    AS_OF_HEADER: {
        "description": "With `as_of` or `version`: the log's position (and the version) that this shows, as a"
        " structured field (RFC 9651)",
        "schema": {"type": "string"},
        "example": "position=42, version=3",
    }
}


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Actor(_Closed):
    """Who did something."""

    sub: str = Field(description="the identity provider's subject")
    name: str


class FieldChange(_Closed):
    """One field's values before and after."""

    model_config = ConfigDict(populate_by_name=True)

    field: str
    from_: Any = Field(alias="from")
    to: Any


class Change(_Closed):
    """One change of an entity."""

    position: int = Field(description="in the log")
    version: int = Field(description="of the entity, after the change")
    type: str = Field(examples=["driver.registered", "driver.details_changed", "driver.removed"])
    moment: str = Field(description="RFC 3339, UTC, with microseconds")
    actor: Actor | None = Field(description="null where the event cannot be read")
    request_id: str | None = Field(description="the server's own; of old events maybe the client's")
    client_request_id: str | None = Field(description="what the client called its request")
    reason: str | None
    changes: list[FieldChange] = Field(description="a registration sets what it does not leave empty")


class VersionChange(Change):
    """One change in an entity's history."""

    etag: str = Field(description="what `If-Match` takes of those who build on this version")


class History(_Closed):
    """A part of an entity's history. It may be short, and have a next part all the same: changes are long."""

    content: list[VersionChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class DiffEnd(_Closed):
    """One of the two versions."""

    version: int
    moment: str | None = Field(description="null before the first version")
    exists: bool = Field(description="false before the first version, and after a removal")


class Diff(_Closed):
    """What differs between two versions."""

    model_config = ConfigDict(populate_by_name=True)

    from_: DiffEnd = Field(alias="from")
    to: DiffEnd
    changes: list[FieldChange]


class FieldAuthor(_Closed):
    """A field's value and who last set it."""

    field: str
    value: Any
    version: int | None
    moment: str | None
    actor: Actor | None


class Blame(_Closed):
    """Who last set each field."""

    version: int
    fields: list[FieldAuthor]


_ACTOR: Final = {"sub": "dev|asha", "name": "Asha Menon"}
_CITY: Final = {"field": "city", "from": "Ludhiana", "to": "Pune"}


def of_history(table: EntityTable) -> dict[str, Any]:
    """Describe an entity's history."""
    example = {
        "content": [
            {
                "position": 42,
                "version": 2,
                "etag": '"2-5f0c0d3c8d9b"',
                "type": f"{table.entity.name}.details_changed",
                "moment": _MOMENT,
                "actor": _ACTOR,
                "request_id": "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b",
                "client_request_id": None,
                "reason": None,
                "changes": [_CITY],
            }
        ],
        "next": None,
    }
    return _of(
        table,
        "history",
        "Everything that happened to it, in all its lives",
        found(History, example),
        [
            *part_parameters(default=DEFAULT_LIMIT, maximum=MAX_LIMIT),
            parameter("field", "Only changes of this field", _TEXT, {"a field": "city"}),
            parameter("actor", "Only changes by this subject", _TEXT, {"a person": "dev|asha"}),
        ],
    )


def of_diff(table: EntityTable) -> dict[str, Any]:
    """Describe the difference between two versions."""
    example = {
        "from": {"version": 1, "moment": _MOMENT, "exists": True},
        "to": {"version": 2, "moment": _MOMENT, "exists": True},
        "changes": [_CITY],
    }
    return _of(
        table,
        "diff",
        "What differs between two of its versions; 0 is before the first",
        found(Diff, example),
        [
            {**parameter("from", "The one version", _VERSION, {"the first": 1}), "required": True},
            {**parameter("to", "The other version", _VERSION, {"the second": 2}), "required": True},
        ],
    )


def of_blame(table: EntityTable) -> dict[str, Any]:
    """Describe who last set each field."""
    example = {
        "version": 2,
        "fields": [{"field": "city", "value": "Pune", "version": 2, "moment": _MOMENT, "actor": _ACTOR}],
    }
    return _of(table, "blame", "Who last set each of its fields", found(Blame, example), [VERSION, AS_OF])


def _of(
    table: EntityTable, name: str, summary: str, answer: dict[str, Any], parameters: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "name": f"{name}_of_{table.entity.name}",
        "summary": summary,
        "responses": {
            200: answer,
            304: NOT_MODIFIED,
            **problem_responses(401, 404, 422, 503),
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [*parameters, *CONSISTENCY_PARAMETERS]},
    }
