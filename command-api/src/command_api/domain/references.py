"""References to other records, which must be registered and not restricted when they are made."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from command_api.domain.aggregate import Aggregate
from command_api.domain.events import Event
from command_api.domain.uniqueness import details_after

_MESSAGES: Final = {
    "not_registered": "This {entity} does not exist or was removed",
    "restricted": "This {entity} is restricted",
    "licence_expired": "The driver's licence has expired before this time",
    "licence_ends": "The driver's licence ends in this time",
    "unavailable": "This {entity} is out of service or in maintenance",
}

Reference = tuple[str, str, str]
"""Field, entity type and id."""


class ReferenceRefused(Exception):
    """A record cannot refer to another one.

    Attributes:
        is_warning: whether the command is accepted if `confirmed` contains the code.
    """

    def __init__(self, reference: Reference, code: str, *, is_warning: bool = False) -> None:
        self.field, self.entity, self.record = self.reference = reference
        self.code = code
        self.is_warning = is_warning
        super().__init__(_MESSAGES[code].format(entity=self.entity))


def new_references(before: Aggregate, event: Event) -> list[Reference]:
    """Return the references that an event makes, or for which it extends the record's time.

    Other references are not checked again, so that an assignment can be ended after its driver was removed.
    """
    after = details_after(before, event) if before.definition.references else None
    if after is None:
        return []
    is_new = before.state is None or _extends(before, after)
    known = [] if is_new or before.state is None else _references(before, before.state.details)
    return [one for one in _references(before, after) if one not in known]


def require_assignable(
    before: Aggregate,
    event: Event,
    others: Mapping[Reference, Aggregate],
    now: datetime,
    warnings: Collection[str],
) -> None:
    """Check the references that an event makes.

    Args:
        others: the other records by reference.
        warnings: codes that are a warning.

    Raises:
        ReferenceRefused: one must not be made, or not without a confirmation.
    """
    details = details_after(before, event) or {}
    for reference, other in others.items():
        if other.restriction is not None:
            raise ReferenceRefused(reference, "restricted")
        if other.state is None:
            raise ReferenceRefused(reference, "not_registered")
        code = before.objection(details, other.state, now)
        is_warning = code in warnings
        if code is not None and not (is_warning and code in details.get("confirmed", ())):
            raise ReferenceRefused(reference, code, is_warning=is_warning)


def _references(aggregate: Aggregate, details: Mapping[str, Any]) -> list[Reference]:
    references = []
    for field, entity in aggregate.definition.references.items():
        value = details.get(field)
        ids = value if isinstance(value, list) else [value]
        references += [(field, entity, one) for one in ids if one is not None]
    return references


def _extends(before: Aggregate, after: Mapping[str, Any]) -> bool:
    """Return whether a time of the record begins earlier or ends later than before."""
    now = before.state.details if before.state else {}
    for mark in before.definition.unique.values():
        if mark.during is not None:
            start, end = mark.during
            if after[start] < now[start] or (now[end] and (after[end] is None or after[end] > now[end])):
                return True
    return False
