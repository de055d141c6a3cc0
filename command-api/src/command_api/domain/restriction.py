"""That nothing may be done with what is known of somebody: until it is lifted, or all of it is erased."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Self

from command_api.domain.events import Basis, Event, HoldSet, Restricted


@dataclass(frozen=True)
class Restriction:
    """A restriction as its events have made it."""

    basis: Basis
    due: date
    """When who has asked for it is to be answered."""
    by: str
    """The subject who has restricted it: whoever erases it is another one."""
    hold_until: date | None = None
    """The last day on which it must be kept; None: there is no such day."""

    @classmethod
    def of(cls, event: Restricted) -> Self:
        """Return what an event has begun."""
        return cls(event.basis, event.due, event.metadata.actor.sub)

    def against_erasure(self, *, by: str, today: date) -> str | None:
        """Return why somebody must not erase it now; None: they may.

        Args:
            by: the subject.
            today: the date in UTC.
        """
        if self.basis == "contested":
            return "What is contested is restricted until that is settled: it is not to be erased."
        if self.hold_until is not None and today <= self.hold_until:
            return f"It must be kept until {self.hold_until}: a legal hold is set."
        if by == self.by:
            return "Who has restricted it must not erase it: somebody else must confirm."
        return None


def restriction_after(before: Restriction | None, event: Event) -> Restriction | None:
    """Return the restriction that there is after an event."""
    match event:
        case Restricted():
            return Restriction.of(event)
        case HoldSet() if before is not None:
            return replace(before, hold_until=event.until)
        case _:
            return None
