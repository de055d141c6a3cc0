"""What the OpenAPI document says of histories."""

from typing import Any, Final

from pydantic import ConfigDict, Field

from projections.tables import EntityTable
from query_api.history.points import MOMENT
from query_api.openapi import Closed, found, operation

AS_OF_HEADER: Final = "Fleetlog-As-Of"
AS_OF_HEADERS: Final = {
    AS_OF_HEADER: {
        "description": "With `as_of` or `version`: the log's position (and the version) that this shows, as a"
        " structured field (RFC 9651)",
        "schema": {"type": "string"},
        "example": "position=42, version=3",
    }
}


class Actor(Closed):
    """Who did something."""

    sub: str = Field(description="the identity provider's subject")
    name: str


class FieldChange(Closed):
    """One field's values before and after."""

    model_config = ConfigDict(populate_by_name=True)

    field: str
    from_: Any = Field(alias="from")
    to: Any


class Change(Closed):
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


class History(Closed):
    """A part of an entity's history. It may be short, and have a next part all the same: changes are long."""

    content: list[VersionChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class DiffEnd(Closed):
    """One of the two versions."""

    version: int
    moment: str | None = Field(description="null before the first version")
    exists: bool = Field(description="false before the first version, and after a removal")


class Diff(Closed):
    """What differs between two versions."""

    model_config = ConfigDict(populate_by_name=True)

    from_: DiffEnd = Field(alias="from")
    to: DiffEnd
    changes: list[FieldChange]


class FieldAuthor(Closed):
    """A field's value and who last set it."""

    field: str
    value: Any
    version: int | None
    moment: str | None
    actor: Actor | None


class Blame(Closed):
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
                "moment": MOMENT,
                "actor": _ACTOR,
                "request_id": "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b",
                "client_request_id": None,
                "reason": None,
                "changes": [_CITY],
            }
        ],
        "next": None,
    }
    return _of(table, "history", "Everything that happened to it, in all its lives", found(History, example))


def of_diff(table: EntityTable) -> dict[str, Any]:
    """Describe the difference between two versions."""
    example = {
        "from": {"version": 1, "moment": MOMENT, "exists": True},
        "to": {"version": 2, "moment": MOMENT, "exists": True},
        "changes": [_CITY],
    }
    return _of(
        table, "diff", "What differs between two of its versions; 0 is before the first", found(Diff, example)
    )


def of_blame(table: EntityTable) -> dict[str, Any]:
    """Describe who last set each field."""
    example = {
        "version": 2,
        "fields": [{"field": "city", "value": "Pune", "version": 2, "moment": MOMENT, "actor": _ACTOR}],
    }
    return _of(table, "blame", "Who last set each of its fields", found(Blame, example))


def _of(table: EntityTable, name: str, summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    return operation(f"{name}_of_{table.entity.name}", summary, answer, may_be_missing=True)
