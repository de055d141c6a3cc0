"""Undo of one event, which leaves later changes of other fields in place."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

from command_api.domain.aggregate import Aggregate, NotRegistered, RuleBroken
from command_api.domain.definition import Definition
from command_api.domain.events import (
    DetailsChanged,
    Erased,
    Event,
    EventMetadata,
    Merged,
    MergedInto,
    Registered,
    Removed,
)
from ops.base.records.json_values import same_json

_EXISTENCE: Final = ""
"""The part of the entity's registration; no field has this name."""


class ChangedSince(Exception):
    """A later event has changed a part that the undo would revert."""


@dataclass
class UndoTarget:
    """An event to undo, and the event that last set each part of the entity since.

    A part is a field, or a declared member of a field that is an object. An undo restores the setters from
    before the event that it undid. So several events can be undone one by one, and an undo can be undone.
    """

    event: Event
    details_before: Mapping[str, Any]
    """The entity's details before the event; empty if it was not registered."""
    key_id: str | None = None
    """The id of the key that encrypts the event."""
    reverts_merge: bool = False
    """Whether the event is itself the undo of a merge."""
    version: int = 0
    """The version of the last event that was added."""
    setters: dict[str, int] = field(default_factory=dict)
    """The version that last set each part."""
    _before: dict[int, dict[str, int]] = field(default_factory=dict)
    _after: dict[int, dict[str, int]] = field(default_factory=dict)

    def add(self, definition: Definition, event: Event) -> None:
        """Add the stream's next event; the first is the event to undo."""
        version, undone = event.originator_version, event.metadata.undoes
        parts = _parts_set(definition, event)
        before = {part: self.setters.get(part, 0) for part in parts}
        left, found = self._after.get(undone or 0, {}), self._before.get(undone or 0, {})
        after = {
            part: found[part] if setter == left.get(part) else version for part, setter in before.items()
        }
        self.setters |= after
        self._before[version], self._after[version] = before, after
        self.version = version


def undo(
    aggregate: Aggregate, target: UndoTarget, metadata: EventMetadata, *, keep: Set[str], overwrite: bool
) -> Event | None:
    """Decide the event that reverts another; None if nothing of that event is left.

    Args:
        target: the event, and the later events up to the aggregate's version.
        overwrite: whether to revert later changes of the same parts as well.

    Raises:
        ChangedSince: a later event changed the same parts, and `overwrite` is false.
        NotRegistered: the event was a change, and the entity is removed now.
        IsRestricted: the entity's data is restricted.
        RuleBroken: the event cannot be undone, or a rule of the entity type forbids it.
    """
    aggregate.require_unrestricted()
    event, state, definition = target.event, aggregate.state, aggregate.definition
    metadata = metadata.model_copy(update={"undoes": event.originator_version})

    def require_untouched(parts: Iterable[str]) -> None:
        if not overwrite and any(target.setters.get(part) != event.originator_version for part in parts):
            raise ChangedSince

    match event:
        case Registered() | Removed() if keep and (isinstance(event, Registered) or state is None):
            raise RuleBroken(
                "A registration or a removal is undone completely. Send the request without fields to keep."
            )
        case Registered():
            if state is None:
                return None
            require_untouched(_parts_set(definition, event))
            return aggregate.remove(metadata)
        case Removed() if state is None:
            require_untouched([_EXISTENCE])
            return aggregate.register({**definition.blank_details(), **target.details_before}, metadata)
        case DetailsChanged() | Removed():
            if state is None:
                if not overwrite:
                    raise ChangedSince
                raise NotRegistered
            now = _parts(definition, state.details)
            reverted = {
                part: value
                for part, value in _values_before(definition, target).items()
                if part not in keep and part.partition(".")[0] not in keep
                if not same_json(now.get(part), value)
            }
            require_untouched(reverted)
            details = _details(definition, state.details, reverted)
            exact = _unchanged_since(event, state.details, details, keep)
            change = aggregate.change(details | exact, metadata)
            return aggregate.keep(metadata) if change is None and isinstance(event, Merged) else change
        case _:
            raise RuleBroken("Only a registration, a change or a removal can be undone.")


def other_of_merge(event: Event) -> tuple[str, int] | None:
    """Return the id and version of a merge's event in the other stream; None: the event is of no merge."""
    match event:
        case Merged():
            return event.source, event.source_version
        case MergedInto():
            return event.into, event.into_version
    return None


def require_separable(aggregate: Aggregate, other: Aggregate, event: Event) -> None:
    """Raise `RuleBroken` if a merge cannot be undone, given the event to undo and the other entity."""
    survivor, merged = (aggregate, other) if isinstance(event, Merged) else (other, aggregate)
    if merged.state is not None:
        raise RuleBroken("The merged record is registered again, so its merge cannot be undone.")
    if survivor.state is None:
        raise RuleBroken("The record that survived the merge was removed. Restore the merged record instead.")
    if other.restriction is not None:
        raise RuleBroken("The other record of this merge is restricted. Lift the restriction first.")


def _values_before(definition: Definition, target: UndoTarget) -> dict[str, Any]:
    """Return the values, before the event to undo, of the parts that it set or removed."""
    if not isinstance(target.event, DetailsChanged):
        return _parts(definition, {**definition.blank_details(), **target.details_before})
    before, _ = _changed_parts(definition, target.event)
    return {part: before.get(part) for part in _parts_set(definition, target.event)}


def _parts_set(definition: Definition, event: Event) -> list[str]:
    match event:
        case DetailsChanged():
            before, after = _changed_parts(definition, event)
            return [part for part in before | after if not same_json(before.get(part), after.get(part))]
        case Registered(details=details):
            return [_EXISTENCE, *_parts(definition, {**definition.blank_details(), **details})]
        case Removed() | Erased():
            return [_EXISTENCE, *_parts(definition, definition.blank_details())]
        case _:
            return []


def _changed_parts(definition: Definition, event: DetailsChanged) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of the changed fields' parts, before and after the event."""
    before = _parts(definition, {name: change.from_ for name, change in event.changes.items()})
    return before, _parts(definition, {name: change.to for name, change in event.changes.items()})


def _parts(definition: Definition, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an entity's parts; a member's name is a path such as `attributes.city`."""
    parts: dict[str, Any] = {}
    for name, value in details.items():
        if name in definition.members and (value is None or isinstance(value, dict)):
            parts |= dict.fromkeys(f"{name}.{member}" for member in definition.members[name])
            parts |= {f"{name}.{member}": one for member, one in (value or {}).items()}
        else:
            parts[name] = value
    return parts


def _details(definition: Definition, now: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details that contain the given parts; other members of these details keep their values."""
    details: dict[str, Any] = {}
    for part, value in parts.items():
        name, _, member = part.partition(".")
        if name not in definition.members or not member:
            details[part] = value
            continue
        values = details.setdefault(name, dict(now.get(name) or {}))
        values[member] = value
        if value is None and member not in definition.members[name]:
            del values[member]  # a member of the client's own, which the object did not have before
    return details


def _unchanged_since(
    event: Event, now: Mapping[str, Any], details: Mapping[str, Any], keep: Set[str]
) -> dict[str, Any]:
    """Return the exact former values of those details that are still as the event set them."""
    changes = event.changes if isinstance(event, DetailsChanged) else {}
    kept = {part.partition(".")[0] for part in keep}
    return {
        name: changes[name].from_
        for name in details.keys() & changes.keys() - kept
        if same_json(now.get(name), changes[name].to)
    }
