"""What operators ask of the workers, as both APIs tell it."""

from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from ops.base.records.entities import ENTITY_TYPES

SYSTEM_PATH: Final = "/api/v1/system"

Kind = Literal["retry", "rebuild", "verify"]
KINDS: Final = get_args(Kind)
PROJECTIONS: Final = (*(entity.collection for entity in ENTITY_TYPES), "revisions")
"""What can be rebuilt, or tried again."""

MOMENT: Final[dict[str, Any]] = {
    "json_schema_extra": {"format": "date-time"},
    "examples": ["2026-11-23T09:41:00.123Z"],
}


class Action(BaseModel):
    """What an operator has asked for."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["3f0c9f4e-0a35-4c0a-9d2f-0e9a8d6f2b11"])
    kind: Kind = Field(examples=["rebuild"])
    target: str | None = Field(description="null: all, or the log itself", examples=["drivers"])
    asked_at: str = Field(**MOMENT)
    asked_by: str = Field(description="who, by the identity provider's permanent id", examples=["dev|omar"])
    state: Literal["asked", "running", "done", "failed"] = Field(examples=["asked"])
    done: int | None = Field(description="how far it is", examples=[10])
    total: int | None = Field(examples=[100])
    words: str | None = Field(description="what came of it", examples=["drivers: 90 rows from 100 events"])


ACTION_COLUMNS: Final = "id::text, kind, target, asked_at, asked_by, state, done, total, words"
"""Of `operations.actions`, in the order of the model's fields."""


def action_of(*row: Any) -> Action:
    """Return an action as it is told, from a row with `ACTION_COLUMNS`."""
    told = dict(zip(Action.model_fields, row, strict=True))
    return Action(**{**told, "asked_at": moment_text(told["asked_at"])})


def moment_text(moment: datetime) -> str:
    """Return a moment as operators are told it: RFC 3339, in UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
