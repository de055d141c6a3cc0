"""Actions that operators request from the workers, as both APIs show them."""

from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from ops.base.records.entities import ENTITY_TYPES

SYSTEM_PATH: Final = "/api/v1/system"

Kind = Literal["retry", "rebuild", "verify"]
KINDS: Final = get_args(Kind)
PROJECTIONS: Final = (*(entity.collection for entity in ENTITY_TYPES), "revisions")
"""Projections that can be rebuilt or retried."""

MOMENT: Final[dict[str, Any]] = {
    "json_schema_extra": {"format": "date-time"},
    "examples": ["2026-11-23T09:41:00.123Z"],
}


class Action(BaseModel):
    """A requested action."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["3f0c9f4e-0a35-4c0a-9d2f-0e9a8d6f2b11"])
    kind: Kind = Field(examples=["rebuild"])
    target: str | None = Field(description="null: all projections, or the log itself", examples=["drivers"])
    asked_at: str = Field(**MOMENT)
    asked_by: str = Field(description="subject of the operator", examples=["dev|omar"])
    state: Literal["asked", "running", "done", "failed"] = Field(examples=["asked"])
    done: int | None = Field(description="units done", examples=[10])
    total: int | None = Field(examples=[100])
    words: str | None = Field(description="result", examples=["drivers: 90 rows from 100 events"])


ACTION_COLUMNS: Final = "id::text, kind, target, asked_at, asked_by, state, done, total, words"
"""Columns of `operations.actions`, in the order of the model's fields."""


def action_of(*row: Any) -> Action:
    """Return the action of a row with `ACTION_COLUMNS`."""
    fields = dict(zip(Action.model_fields, row, strict=True))
    return Action(**{**fields, "asked_at": moment_text(fields["asked_at"])})


def moment_text(moment: datetime) -> str:
    """Return a time as RFC 3339 text in UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
