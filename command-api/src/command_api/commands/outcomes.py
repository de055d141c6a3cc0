"""Reasons of refused commands, and outcomes stored for idempotent retries."""

from collections.abc import Sequence
from typing import Final, get_args

from command_api.domain.aggregate import (
    Aggregate,
    AlreadyRegistered,
    IsRestricted,
    NotRegistered,
    RuleBroken,
)
from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import (
    AppendedEvents,
    AppendRequest,
    Decision,
    RecordedDecision,
    RecordedEvent,
)
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import key_of_fingerprint
from ops.base.http.problems import ValidationError


class NoSuchVersion(Exception):
    """The entity never had this version, or was not registered at it."""

    errors = (ValidationError.at("version", message="No record of this version exists"),)


class InvalidDetails(Exception):
    """The resulting details break rules.

    Attributes:
        errors: the broken rules, which the log does not store.
    """

    def __init__(self, errors: Sequence[ValidationError] = ()) -> None:
        super().__init__("the details are not valid")
        self.errors = errors


class PreconditionFailed(Exception):
    """The entity has changed since the version that the client's change is based on.

    Attributes:
        known_version: that version; None: the client names a version of another log.
    """

    def __init__(self, known_version: int | None) -> None:
        super().__init__("the entity has changed")
        self.known_version = known_version


Reason = (
    AlreadyRegistered
    | InvalidDetails
    | IsRestricted
    | NotRegistered
    | NoSuchVersion
    | PreconditionFailed
    | RuleBroken
)
REASONS: Final = get_args(Reason)

NOTHING_TO_DO: Final = "nothing to do"
_REASONS_BY_TEXT: Final[
    dict[str, type[AlreadyRegistered | InvalidDetails | IsRestricted | NotRegistered | NoSuchVersion]]
] = {
    "already registered": AlreadyRegistered,
    "not registered": NotRegistered,
    "no such version": NoSuchVersion,
    "not valid": InvalidDetails,
    "restricted": IsRestricted,
}
_PRECONDITION_FAILED: Final = "precondition failed, known version "
_RULE_BROKEN: Final = "rule broken: "


class IdempotencyMismatch(Exception):
    """The idempotency key belongs to another command."""


def encode_reason(reason: Reason | None) -> str:
    """Return the text that the log stores for a refusal, or for a command with nothing to do."""
    if reason is None:
        return NOTHING_TO_DO
    if isinstance(reason, PreconditionFailed):
        return f"{_PRECONDITION_FAILED}{reason.known_version}"
    if isinstance(reason, RuleBroken):
        return f"{_RULE_BROKEN}{reason}"
    return next(text for text, kind in _REASONS_BY_TEXT.items() if isinstance(reason, kind))


def decode_reason(text: str) -> Reason | None:
    """Return the reason that `encode_reason` encoded."""
    if text == NOTHING_TO_DO:
        return None
    if text.startswith(_PRECONDITION_FAILED):
        known = text.removeprefix(_PRECONDITION_FAILED)
        return PreconditionFailed(None if known == "None" else int(known))
    if text.startswith(_RULE_BROKEN):
        return RuleBroken(text.removeprefix(_RULE_BROKEN))
    return _REASONS_BY_TEXT[text]()


def decision_of(aggregate: Aggregate, reason: Reason | None) -> Decision:
    """Return the decision to store for a command that appends nothing."""
    stream = aggregate.definition.stream(aggregate.id)
    return Decision(stream, aggregate.version, encode_reason(reason))


async def first_outcome(
    stored: AppendedEvents | RecordedDecision, fingerprint: str
) -> tuple[RecordedEvent | Decision, Reason | None, Event | None]:
    """Return the stored outcome of the first request, the reason of a refusal, and the event.

    Raises:
        IdempotencyMismatch: the first request was another command.
    """
    if isinstance(stored, AppendedEvents):
        (recorded,) = await KEYS.unlock(stored.events)
        event = MAPPER.to_domain_event(recorded)
        await _require_same(event.metadata.fingerprint, fingerprint)
        return recorded, None, event
    await _require_same(stored.fingerprint, fingerprint)
    return stored.decision, decode_reason(stored.decision.decision), None


async def _require_same(stored: str | None, fingerprint: str) -> None:
    key_id = key_of_fingerprint(stored or "")
    if key_id is not None:
        await KEYS.load([key_id])
        key = KEYS.get(key_id)
        fingerprint = "" if key is None else key.fingerprint(fingerprint)
    if stored != fingerprint:
        raise IdempotencyMismatch


def is_outcome_of(outcome: AppendedEvents | RecordedDecision, request: AppendRequest) -> bool:
    """Return whether the outcome belongs to this append, not to an earlier request with the same key."""
    if isinstance(outcome, RecordedDecision):
        return (outcome.decision, outcome.fingerprint) == (request.decision, request.fingerprint)
    return [(event.originator_id, event.state) for event in outcome.events] == [
        (event.originator_id, event.state) for event in request.events
    ]
