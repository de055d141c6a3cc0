"""What the OpenAPI document says of histories."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from projections.tables import EntityTable
from query_api.history.points import BATCH, MOMENT
from query_api.http.openapi import Closed, example_of_change, found_as, operation

AS_OF_HEADER: Final = "Fleetlog-As-Of"
AS_OF_HEADERS: Final = {
    AS_OF_HEADER: {
        "description": "With `as_of` or `version`: the log's position (and the version) that this shows, as a"
        " structured field (RFC 9651)",
        "schema": {"type": "string"},
        "example": "position=42, version=3",
    }
}


Moment = Annotated[str, Field(description="RFC 3339, UTC, with microseconds", examples=[MOMENT])]
REQUEST_ID: Final = "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b"
RequestId = Annotated[str, Field(examples=[REQUEST_ID])]


class Actor(Closed):
    """Who did something."""

    sub: str = Field(description="the identity provider's subject", examples=["dev|asha"])
    name: str | None = Field(description="null where it is masked, or was erased", examples=["Asha Menon"])


Masked = Annotated[
    list[str],
    Field(
        default_factory=list,
        description="What is not shown, for the access token does not permit `personal:read`, or the record"
        " is restricted. All personal fields are named that may have values",
    ),
]


Erased = Annotated[
    list[str],
    Field(
        default_factory=list,
        description="What nobody can tell any more, for it was erased: it is null. Of a registration, and of"
        " what people gave as reasons and names, all is named that may have had a value",
    ),
]


class FieldChange(Closed):
    """One field's values before and after."""

    model_config = ConfigDict(populate_by_name=True)

    field: str
    from_: Any = Field(alias="from")
    to: Any


class Change(Closed):
    """One change of an entity."""

    position: int = Field(description="in the log", examples=[42])
    version: int = Field(description="of the entity, after the change", examples=[2])
    type: str = Field(examples=["driver.registered", "driver.details_changed", "driver.removed"])
    moment: Moment
    actor: Actor | None = Field(description="null where the event cannot be read")
    request_id: RequestId | None = Field(description="the server's own; of old events maybe the client's")
    client_request_id: str | None = Field(description="what the client called its request")
    reason: str | None
    hold_until: str | None = Field(
        default=None,
        description="of `hold_set` only: the last day on which it must be kept; null: the hold was ended",
        examples=["2026-12-23"],
        json_schema_extra={"format": "date"},
    )
    undoes: int | None = Field(
        default=None,
        description="of an undo only: the version whose change it takes back",
        examples=[1],
    )
    batch: str | None = Field(
        default=None,
        description="of what came together only: the run, such as an import",
        examples=[BATCH],
    )
    changes: list[FieldChange] = Field(description="a registration sets what it does not leave empty")
    masked: Masked
    erased: Erased


class VersionChange(Change):
    """One change in an entity's history."""

    etag: str = Field(
        description="what `If-Match` takes of those who build on this version", examples=['"2-5f0c0d3c8d9b"']
    )


class History(Closed):
    """A part of an entity's history. It may be short, and have a next part all the same: changes are long."""

    content: list[VersionChange]
    next: str | None = Field(description="`cursor` of the next part; null after the last")


class DiffEnd(Closed):
    """One of the two versions."""

    version: int = Field(examples=[1])
    moment: Moment | None = Field(description="null before the first version")
    exists: bool = Field(description="false before the first version, and after a removal", examples=[True])


class Diff(Closed):
    """What differs between two versions."""

    model_config = ConfigDict(populate_by_name=True)

    from_: DiffEnd = Field(alias="from")
    to: DiffEnd
    changes: list[FieldChange]
    masked: Masked
    erased: Erased


class FieldAuthor(Closed):
    """A field's value and who last set it."""

    field: str
    value: Any
    version: int | None = Field(examples=[2])
    moment: Moment | None
    actor: Actor | None


class Blame(Closed):
    """Who last set each field."""

    version: int = Field(examples=[2])
    fields: list[FieldAuthor]
    masked: Masked
    erased: Erased


def of_history(table: EntityTable) -> dict[str, Any]:
    """Describe an entity's history."""
    return _of(table, "history", "Everything that happened to it, in all its lives", History)


def of_diff(table: EntityTable) -> dict[str, Any]:
    """Describe the difference between two versions."""
    return _of(table, "diff", "What differs between two of its versions; 0 is before the first", Diff)


def of_blame(table: EntityTable) -> dict[str, Any]:
    """Describe who last set each field."""
    return _of(table, "blame", "Who last set each of its fields", Blame)


def _of(table: EntityTable, name: str, summary: str, answer: type[BaseModel]) -> dict[str, Any]:
    described = found_as(answer, example_of_change(table.entity))
    return operation(f"{name}_of_{table.entity.name}", summary, described, may_be_missing=True)
