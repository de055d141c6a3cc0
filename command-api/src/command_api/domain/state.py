"""State of an entity, and how each event changes it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Self

from command_api.domain.definition import DEFINITIONS
from command_api.domain.events import (
    DeliveryGivenUp,
    DetailsChanged,
    Erased,
    Event,
    HoldSet,
    PossibleDuplicateDismissed,
    Registered,
    ReminderAcknowledged,
    Removed,
    Restricted,
    RestrictionLifted,
)
from ops.base.records.entities import NOT_DETAILS
from ops.base.records.json_values import json_bytes
from ops.base.records.operations import moment_text

STATE_VERSION: Final = 1
"""Version of the state that events lead to: raise it with a change of `apply` or `State.record`, so that
snapshots of the former state are ignored."""
_UNKNOWN: Final = datetime.fromtimestamp(0, UTC)


class InapplicableEvent(Exception):
    """An event does not follow from the state before it."""


@dataclass(frozen=True)
class State:
    """A registered entity at one version of its stream."""

    entity: str
    id: str
    version: int
    details: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    is_restricted: bool = False
    """Whether its last event restricts it: then no event but one of the restriction may follow."""

    def record(self) -> dict[str, Any]:
        """Return the record as the APIs serve it (product.md: records)."""
        definition = DEFINITIONS[self.entity]
        record = {"id": self.id, **definition.blank_details(), **self.details}
        if definition.shows_times:
            record["created_at"] = moment_text(self.created_at)
            record["updated_at"] = moment_text(self.updated_at)
        return record

    @cached_property
    def json(self) -> bytes:
        """The record as compact JSON, encoded once; raises `ValueError`."""
        return json_bytes(self.record())

    @classmethod
    def of_record(cls, entity: str, version: int, record: dict[str, Any]) -> Self:
        """Return the state of a record at a version; the stream's next event can be applied to it.

        Times that the entity type's records do not show stay unknown.
        """
        times = (record.get("created_at"), record.get("updated_at"))
        created_at, updated_at = (datetime.fromisoformat(text) if text else _UNKNOWN for text in times)
        return cls(entity, record["id"], version, details_of(record), created_at, updated_at)


def details_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the details in a record."""
    return {name: value for name, value in record.items() if name not in NOT_DETAILS}


def apply(state: State | None, event: Event, *, moment: datetime) -> State | None:
    """Return the state after an event; None: no entity is registered under the id.

    Raises:
        InapplicableEvent: the event cannot follow that state.
    """
    version = event.originator_version
    if state is not None and version != state.version + 1:
        raise InapplicableEvent(f"version {version} of {event.originator_id} after version {state.version}")
    match event, state:
        case Registered(), None:
            return State(event.entity, event.entity_id, version, event.details, moment, moment)
        case DetailsChanged(), State():
            changed = {name: change.to for name, change in event.changes.items()}
            details = {**state.details, **changed}
            return State(state.entity, state.id, version, details, state.created_at, moment)
        case ReminderAcknowledged() | PossibleDuplicateDismissed() | DeliveryGivenUp(), State():
            return replace(state, version=version)
        case Restricted() | HoldSet() | RestrictionLifted(), State():
            return replace(state, version=version, is_restricted=not isinstance(event, RestrictionLifted))
        case (Removed() | Erased(), State()) | (
            Restricted() | HoldSet() | RestrictionLifted() | Erased(),
            None,
        ):
            return None
    raise InapplicableEvent(f"{event.type} at version {version} of {event.originator_id}")
