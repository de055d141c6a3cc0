"""The state that a stream's events add up to."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Self

from command_api.domain.definition import DEFINITIONS
from command_api.domain.events import (
    DetailsChanged,
    Erased,
    Event,
    HoldSet,
    Registered,
    Removed,
    Restricted,
    RestrictionLifted,
)
from ops.base.records.entities import NOT_DETAILS
from ops.base.records.json_values import json_bytes

_UNSEEN: Final = datetime.fromtimestamp(0, UTC)


class InapplicableEvent(Exception):
    """An event does not follow from the state before it."""


@dataclass(frozen=True)
class State:
    """An entity as it is known at one version of its stream."""

    entity: str
    id: str
    version: int
    details: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    is_restricted: bool = False
    """Whether nothing more may be done with it; by its last event alone, for nothing else may follow."""

    def record(self) -> dict[str, Any]:
        """Return the record as it is served (product.md: records)."""
        definition = DEFINITIONS[self.entity]
        record = {"id": self.id, **definition.blank_details(), **self.details}
        if definition.shows_times:
            record["created_at"] = wire_time(self.created_at)
            record["updated_at"] = wire_time(self.updated_at)
        return record

    @cached_property
    def json(self) -> bytes:
        """The record as compact JSON, encoded once.

        Raises:
            ValueError: it has a number that JSON does not know.
        """
        return json_bytes(self.record())

    @classmethod
    def of_record(cls, entity: str, version: int, record: dict[str, Any]) -> Self:
        """Return the state that a record shows; the stream's next event can be applied to it.

        Times that the entity type's records do not show stay unknown.

        Args:
            entity: the entity type's name.
            version: the stream's version after which it was so.
            record: as `record` returned it.
        """
        return cls(
            entity=entity,
            id=record["id"],
            version=version,
            details=details_of(record),
            created_at=_time(record.get("created_at")),
            updated_at=_time(record.get("updated_at")),
        )


def details_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the details in a record."""
    return {name: value for name, value in record.items() if name not in NOT_DETAILS}


def wire_time(moment: datetime) -> str:
    """Format an instant as RFC 3339 in UTC, to the millisecond: `2026-11-21T04:10:45.123Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def apply(state: State | None, event: Event, *, moment: datetime) -> State | None:
    """Return the state after an event; None: nothing is registered under the id.

    Args:
        state: the state before it.
        event: what happened.
        moment: when the log recorded it.

    Raises:
        InapplicableEvent: it cannot have happened in that state.
    """
    match event, state:
        case Registered(), None:
            entity, _, entity_id = event.originator_id.partition(":")
            return State(entity, entity_id, event.originator_version, event.details, moment, moment)
        case DetailsChanged(), State():
            _require_next_version(state, event)
            changed = {name: change.to for name, change in event.changes.items()}
            details = {**state.details, **changed}
            version = event.originator_version
            return State(state.entity, state.id, version, details, state.created_at, moment)
        case Removed() | Erased(), State():
            _require_next_version(state, event)
            return None
        case Restricted() | HoldSet() | RestrictionLifted(), State():
            _require_next_version(state, event)
            is_restricted = not isinstance(event, RestrictionLifted)
            return replace(state, version=event.originator_version, is_restricted=is_restricted)
        case Restricted() | HoldSet() | RestrictionLifted() | Erased(), None:
            return None
    raise InapplicableEvent(f"{event.type} at version {event.originator_version} of {event.originator_id}")


def _require_next_version(state: State, event: Event) -> None:
    if event.originator_version != state.version + 1:
        raise InapplicableEvent(
            f"version {event.originator_version} of {event.originator_id} after version {state.version}"
        )


def _time(text: str | None) -> datetime:
    return datetime.fromisoformat(text) if text else _UNSEEN
