"""The reasons for which commands are refused."""

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
