"""Why commands are refused, and how the log keeps that for those that are sent again."""

from collections.abc import Sequence
from typing import Final, get_args

from command_api.domain.aggregate import AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken
from ops.base.http.problems import ValidationError


class NoSuchVersion(Exception):
    """The entity never had the version that it should be brought back to, or was removed by it."""

    errors = (ValidationError.at("version", message="There is no record of this version"),)


class Invalid(Exception):
    """What the entity would be breaks rules.

    Attributes:
        errors: which; the log keeps none.
    """

    def __init__(self, errors: Sequence[ValidationError] = ()) -> None:
        super().__init__("the details are not valid")
        self.errors = errors


class PreconditionFailed(Exception):
    """The entity has changed since the version that the client builds on.

    Attributes:
        known_version: that version; None: it is another log's, and nothing is known of it.
    """

    def __init__(self, known_version: int | None) -> None:
        super().__init__("the entity has changed")
        self.known_version = known_version


Reason = (
    AlreadyRegistered
    | Invalid
    | IsRestricted
    | NotRegistered
    | NoSuchVersion
    | PreconditionFailed
    | RuleBroken
)
REASONS: Final = get_args(Reason)

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
