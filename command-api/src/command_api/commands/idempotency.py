"""Idempotency keys: the log stores each outcome, with which retries are answered as the first request was."""

from typing import Final

from command_api.commands.reasons import Invalid, NoSuchVersion, PreconditionFailed, Reason
from command_api.domain.aggregate import (
    Aggregate,
    AlreadyRegistered,
    IsRestricted,
    NotRegistered,
    RuleBroken,
)
from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import Append, Appended, Decided, Decision, RecordedEvent
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import key_of_fingerprint

NOTHING_TO_DO: Final = "nothing to do"
_PLAIN: Final[dict[str, type[AlreadyRegistered | Invalid | IsRestricted | NotRegistered | NoSuchVersion]]] = {
    "already registered": AlreadyRegistered,
    "not registered": NotRegistered,
    "no such version": NoSuchVersion,
    "not valid": Invalid,
    "restricted": IsRestricted,
}
_PRECONDITION_FAILED: Final = "precondition failed, known version "
_RULE_BROKEN: Final = "rule broken: "


def decision_of(reason: Reason | None) -> str:
    """Return what the log keeps: why a command was refused, or (None) that nothing had to be done."""
    if reason is None:
        return NOTHING_TO_DO
    if isinstance(reason, PreconditionFailed):
        return f"{_PRECONDITION_FAILED}{reason.known_version}"
    if isinstance(reason, RuleBroken):
        return f"{_RULE_BROKEN}{reason}"
    return next(decision for decision, of in _PLAIN.items() if isinstance(reason, of))


def reason_of(decision: str) -> Reason | None:
    """Return what `decision_of` was given."""
    if decision == NOTHING_TO_DO:
        return None
    if decision.startswith(_PRECONDITION_FAILED):
        known = decision.removeprefix(_PRECONDITION_FAILED)
        return PreconditionFailed(None if known == "None" else int(known))
    if decision.startswith(_RULE_BROKEN):
        return RuleBroken(decision.removeprefix(_RULE_BROKEN))
    return _PLAIN[decision]()


class IdempotencyMismatch(Exception):
    """The idempotency key was used for another command before."""


async def first_outcome(
    kept: Appended | Decided, fingerprint: str
) -> tuple[RecordedEvent | Decision, Reason | None, Event | None]:
    """Return the outcome of the first request: what the log stored, the reason of a refusal, and the event.

    Raises:
        IdempotencyMismatch: the first request was another command.
    """
    if isinstance(kept, Appended):
        (recorded,) = await KEYS.unlock(kept.events)
        event = MAPPER.to_domain_event(recorded)
        await _require_same(event.metadata.fingerprint, fingerprint)
        return recorded, None, event
    await _require_same(kept.fingerprint, fingerprint)
    return kept.decision, reason_of(kept.decision.decision), None


async def _require_same(kept: str | None, fingerprint: str) -> None:
    key_id = key_of_fingerprint(kept or "")
    if key_id is not None:
        await KEYS.load([key_id])
        key = KEYS.get(key_id)
        fingerprint = "" if key is None else key.fingerprint(fingerprint)
    if kept != fingerprint:
        raise IdempotencyMismatch


def kept_decision(aggregate: Aggregate, reason: Reason | None) -> Decision:
    """Return what the log stores of a command that appends nothing."""
    stream = aggregate.definition.stream(aggregate.id)
    return Decision(stream, aggregate.version, decision_of(reason))


def is_outcome_of(kept: Appended | Decided, append: Append) -> bool:
    """Return whether the outcome belongs to this append, not to an earlier request with the same key."""
    if isinstance(kept, Decided):
        return (kept.decision, kept.fingerprint) == (append.decision, append.fingerprint)
    return [(event.originator_id, event.state) for event in kept.events] == [
        (event.originator_id, event.state) for event in append.events
    ]
