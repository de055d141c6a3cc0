"""Taking back what one event did, and nothing that anybody has done since."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

from command_api.domain.aggregate import Aggregate, NotRegistered, RuleBroken
from command_api.domain.definition import Definition
from command_api.domain.events import DetailsChanged, Erased, Event, EventMetadata, Registered, Removed
from ops.base.records.json_values import same_json

_EXISTENCE: Final = ""
"""Stands among an entity's parts for whether it is there at all; no field is called so."""


class ChangedSince(Exception):
    """Something that would be taken back has been changed by a later event."""


@dataclass
class Since:
    """Who has set each part of an entity last: whether that is still the event that is to be undone.

    A part is a field, or a member of one that is an object of declared members: what people change each by
    itself. What a later event set, and another one took back, is as it was before both: so somebody can undo
    one thing after the other, and what was undone can be undone in its turn.
    """

    event: Event
    """Which is to be undone."""
    details_before: Mapping[str, Any]
    """What the entity was before it; empty: it was not there."""
    version: int = 0
    """Up to which the later events are known."""
    _setters: dict[str, int] = field(default_factory=dict)
    _before: dict[int, dict[str, int]] = field(default_factory=dict)
    _after: dict[int, dict[str, int]] = field(default_factory=dict)

    def add(self, definition: Definition, event: Event) -> None:
        """Take notice of the stream's next event, of which the first is the one that is to be undone."""
        version, undone = event.originator_version, event.metadata.undoes
        parts = _parts_set(definition, event)
        before = {part: self._setters.get(part, 0) for part in parts}
        left, found = self._after.get(undone or 0, {}), self._before.get(undone or 0, {})
        after = {
            part: found[part] if setter == left.get(part) else version for part, setter in before.items()
        }
        self._setters |= after
        self._before[version], self._after[version] = before, after
        self.version = version

    def is_untouched(self, parts: Iterable[str]) -> bool:
        """Tell whether parts are still as the event has left them."""
        return all(self._setters.get(part) == self.event.originator_version for part in parts)


def undo(
    aggregate: Aggregate, since: Since, keep: Set[str], metadata: EventMetadata, *, is_decided: bool
) -> Event | None:
    """Decide that what an event did is taken back; None: there is nothing of it any more.

    Args:
        aggregate: what the entity is now.
        since: the event, and what came after it until now.
        keep: the parts that stay as they are now.
        metadata: who decides, and in which request.
        is_decided: whether they have seen what the entity is now, so that what others have changed since is
            taken back as well.

    Raises:
        ChangedSince: others have changed since what it would take back.
        NotRegistered: what was changed is removed now.
        IsRestricted: nothing may be done with what is known of it.
        RuleBroken: it is nothing that can be undone, or a rule of the type's own stands against it.
    """
    aggregate.require_unrestricted()
    event, state, definition = since.event, aggregate.state, aggregate.definition
    metadata = metadata.model_copy(update={"undoes": event.originator_version})
    match event:
        case Registered():
            _refuse_to(keep)
            if state is None:
                return None
            _require(is_decided or since.is_untouched(_parts_set(definition, event)))
            return aggregate.remove(metadata)
        case Removed() if state is None:
            _refuse_to(keep)
            _require(is_decided or since.is_untouched([_EXISTENCE]))
            return aggregate.register({**definition.blank_details(), **since.details_before}, metadata)
        case DetailsChanged() | Removed():
            if state is None:
                _require(is_decided)
                raise NotRegistered
            now = _parts(definition, state.details)
            back = {
                part: value
                for part, value in _values_before(definition, since).items()
                if part not in keep and part.partition(".")[0] not in keep
                if not same_json(now.get(part), value)
            }
            _require(is_decided or since.is_untouched(back))
            details = _details(definition, state.details, back)
            return aggregate.change(details | _whole(since, state.details, details, keep), metadata)
        case _:
            raise RuleBroken("Only what was registered, changed or removed can be undone.")


def _require(holds: bool) -> None:  # noqa: FBT001 - it is all that it is asked
    if not holds:
        raise ChangedSince


def _refuse_to(keep: Set[str]) -> None:
    if keep:
        raise RuleBroken("A registration or a removal is undone as a whole: nothing can be kept.")


def _values_before(definition: Definition, since: Since) -> dict[str, Any]:
    """Return what the parts were that the event has set, or that it has taken away."""
    if not isinstance(since.event, DetailsChanged):
        return _parts(definition, {**definition.blank_details(), **since.details_before})
    changes = since.event.changes
    before = _parts(definition, {name: change.from_ for name, change in changes.items()})
    return {part: before.get(part) for part in _parts_set(definition, since.event)}


def _parts_set(definition: Definition, event: Event) -> list[str]:
    match event:
        case DetailsChanged(changes=changes):
            before = _parts(definition, {name: change.from_ for name, change in changes.items()})
            after = _parts(definition, {name: change.to for name, change in changes.items()})
            return [part for part in before | after if not same_json(before.get(part), after.get(part))]
        case Registered(details=details):
            return [_EXISTENCE, *_parts(definition, {**definition.blank_details(), **details})]
        case Removed() | Erased():
            return [_EXISTENCE, *_parts(definition, definition.blank_details())]
        case _:
            return []


def _parts(definition: Definition, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an entity's parts; those of objects are called as `attributes.city`."""
    parts: dict[str, Any] = {}
    for name, value in details.items():
        if name in definition.members and (value is None or isinstance(value, dict)):
            parts |= dict.fromkeys(f"{name}.{member}" for member in definition.members[name])
            parts |= {f"{name}.{member}": one for member, one in (value or {}).items()}
        else:
            parts[name] = value
    return parts


def _details(definition: Definition, now: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details that have some parts; in what else those details hold they are as they are now."""
    details: dict[str, Any] = {}
    for part, value in parts.items():
        name, _, member = part.partition(".")
        if name not in definition.members or not member:
            details[part] = value
            continue
        values = details.setdefault(name, dict(now.get(name) or {}))
        values[member] = value
        if value is None and member not in definition.members[name]:
            del values[member]  # of a client's own, which it did not have
    return details


def _whole(
    since: Since, now: Mapping[str, Any], details: Mapping[str, Any], keep: Set[str]
) -> dict[str, Any]:
    """Return those details that become exactly what they were, for nothing of them has changed since."""
    changes = since.event.changes if isinstance(since.event, DetailsChanged) else {}
    kept = {part.partition(".")[0] for part in keep}
    return {
        name: changes[name].from_
        for name in details.keys() & changes.keys() - kept
        if same_json(now.get(name), changes[name].to)
    }
