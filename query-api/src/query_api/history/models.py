"""Answers of the history routes."""

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from ops.base.http.openapi import Closed
from query_api.history.parameters import BATCH, MOMENT

AS_OF_HEADER: Final = "Fleetlog-As-Of"
AS_OF_HEADERS: Final = {
    AS_OF_HEADER: {
        "description": "With `as_of` or `version`: the position (and the version) shown, as a structured"
        " field (RFC 9651)",
        "schema": {"type": "string"},
        "example": "position=42, version=3",
    }
}


Moment = Annotated[str, Field(description="RFC 3339, UTC, with microseconds", examples=[MOMENT])]
REQUEST_ID: Final = "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b"
RequestId = Annotated[str, Field(examples=[REQUEST_ID])]


class Actor(Closed):
    """The user or program that made a change."""

    sub: str = Field(description="The user's permanent id at the identity provider", examples=["dev|asha"])
    name: str | None = Field(description="Null if masked or erased", examples=["Asha Menon"])
    is_program: bool = Field(
        default=False, description="Present, and true, if it is a program with the client credentials grant"
    )


Masked = Annotated[
    list[str],
    Field(
        default_factory=list,
        description="Masked fields: the access token lacks `personal:read`, or the record is restricted."
        " Lists all personal fields that may have values",
    ),
]


Erased = Annotated[
    list[str],
    Field(
        default_factory=list,
        description="Erased fields, which are null. For a registration, and for reasons and names, lists all"
        " that may have had a value",
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

    position: int = Field(description="Position in the log", examples=[42])
    version: int = Field(description="Version of the record after the change", examples=[2])
    type: str = Field(examples=["driver.registered", "driver.details_changed", "driver.removed"])
    moment: Moment
    actor: Actor | None = Field(description="Null if the event cannot be read")
    request_id: RequestId | None = Field(description="Set by the server")
    client_request_id: str | None = Field(description="The client's `X-Request-Id`")
    reason: str | None
    hold_until: str | None = Field(
        default=None,
        description="`hold_set` only: the last day of the hold; null: the hold was ended",
        examples=["2026-12-23"],
        json_schema_extra={"format": "date"},
    )
    undoes: int | None = Field(
        default=None,
        description="Undo only: the version whose change is reverted",
        examples=[1],
    )
    batch: str | None = Field(
        default=None,
        description="Batches only: the id of the run, such as an import",
        examples=[BATCH],
    )
    document: Literal["licence", "passport"] | None = Field(
        default=None, description="`reminder_acknowledged` only: the document", examples=["licence"]
    )
    until: str | None = Field(
        default=None,
        description="`reminder_acknowledged` only: when reminders begin again; null: after its renewal",
        examples=["2027-03-03"],
        json_schema_extra={"format": "date"},
    )
    source: str | None = Field(
        default=None, description="`merged` only: id of the record that was merged into this one"
    )
    into: str | None = Field(
        default=None, description="`merged_into` only: id of the record into which this one was merged"
    )
    other: str | None = Field(
        default=None,
        description="`possible_duplicate_dismissed` only: the other record of the pair",
        examples=["EMP-0043"],
    )
    dismissed: bool | None = Field(
        default=None,
        description="`possible_duplicate_dismissed` only: false if the pair is listed again",
        examples=[True],
    )
    changes: list[FieldChange] = Field(description="A registration sets all fields that are not empty")
    masked: Masked
    erased: Erased


class VersionChange(Change):
    """One change in an entity's history."""

    etag: str = Field(description="`If-Match` for a change of this version", examples=['"2-5f0c0d3c8d9b"'])


class HistoryPage(Closed):
    """A page of a record's history. A short page may have a next one."""

    content: list[VersionChange]
    next: str | None = Field(description="`cursor` of the next page; null after the last")


class DiffEnd(Closed):
    """One of the compared versions."""

    version: int = Field(examples=[1])
    moment: Moment | None = Field(description="Null before the first version")
    exists: bool = Field(description="False before the first version, and after a removal", examples=[True])


class Diff(Closed):
    """The difference between two versions."""

    model_config = ConfigDict(populate_by_name=True)

    from_: DiffEnd = Field(alias="from")
    to: DiffEnd
    changes: list[FieldChange]
    masked: Masked
    erased: Erased


class FieldAuthor(Closed):
    """A field's value and the user who last set it."""

    field: str
    value: Any
    version: int | None = Field(examples=[2])
    moment: Moment | None
    actor: Actor | None


class Blame(Closed):
    """The user who last set each field."""

    version: int = Field(examples=[2])
    fields: list[FieldAuthor]
    masked: Masked
    erased: Erased
