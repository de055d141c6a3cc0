"""Reasons of refused commands, and the texts that the log stores for them."""

from collections.abc import Sequence
from typing import Final, get_args

from command_api.domain.aggregate import AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken
from command_api.domain.references import ReferenceRefused
from ops.base.http.problems import ValidationError


class NoSuchVersion(Exception):
    """The entity never had this version, or was not registered at it."""

    errors = (ValidationError.at("version", message="No record of this version exists"),)


class Duplicate(Exception):
    """Another record has the value of a unique field.

    Attributes:
        field: the field's name.
        record: the other record's id; None: not to be shown.
    """

    def __init__(self, field: str, record: str | None) -> None:
        super().__init__(f"another record has the value of {field}")
        self.field = field
        self.record = record


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
        record: the id of the entity, if it is another one than the command's own.
    """

    def __init__(self, known_version: int | None, record: str | None = None) -> None:
        super().__init__("the entity has changed")
        self.known_version = known_version
        self.record = record


Reason = (
    AlreadyRegistered
    | Duplicate
    | InvalidDetails
    | IsRestricted
    | NotRegistered
    | NoSuchVersion
    | PreconditionFailed
    | ReferenceRefused
    | RuleBroken
)
REASONS: Final = get_args(Reason)

_NOTHING_TO_DO: Final = "nothing to do"
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
_DUPLICATE: Final = "duplicate "
_REFERENCE: Final = "reference "
_WARNING: Final = "warning"


class IdempotencyMismatch(Exception):
    """The idempotency key belongs to another command."""


def encode_reason(reason: Reason | None) -> str:
    """Return the text that the log stores for a refusal, or for a command with nothing to do."""
    if reason is None:
        return _NOTHING_TO_DO
    if isinstance(reason, PreconditionFailed):
        record = "" if reason.record is None else f" {reason.record}"
        return f"{_PRECONDITION_FAILED}{reason.known_version}{record}"
    if isinstance(reason, Duplicate):
        return f"{_DUPLICATE}{reason.field} {reason.record}"
    if isinstance(reason, ReferenceRefused):
        kind = _WARNING if reason.is_warning else "refusal"
        return f"{_REFERENCE}{' '.join(reason.reference)} {reason.code} {kind}"
    if isinstance(reason, RuleBroken):
        return f"{_RULE_BROKEN}{reason}"
    return next(text for text, kind in _REASONS_BY_TEXT.items() if isinstance(reason, kind))


def decode_reason(text: str) -> Reason | None:
    """Return the reason that `encode_reason` encoded."""
    if text == _NOTHING_TO_DO:
        return None
    if text.startswith(_PRECONDITION_FAILED):
        known, _, record = text.removeprefix(_PRECONDITION_FAILED).partition(" ")
        return PreconditionFailed(None if known == "None" else int(known), record or None)
    if text.startswith(_DUPLICATE):
        field, _, record = text.removeprefix(_DUPLICATE).partition(" ")
        return Duplicate(field, record)
    if text.startswith(_REFERENCE):
        field, entity, record, code, kind = text.removeprefix(_REFERENCE).split(" ")
        return ReferenceRefused((field, entity, record), code, is_warning=kind == _WARNING)
    if text.startswith(_RULE_BROKEN):
        return RuleBroken(text.removeprefix(_RULE_BROKEN))
    return _REASONS_BY_TEXT[text]()
