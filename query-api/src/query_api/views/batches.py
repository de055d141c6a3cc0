"""Views as they are recorded: many in one text, which says once what is the same for many of them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

_OVERHEAD_BYTES: Final = 250
"""What a view takes in memory beside its text."""


class View(NamedTuple):
    """That somebody is shown something."""

    subject: bytes
    """Whose, as a JSON text: see migration 0018."""
    who: bytes
    """Their subject and name, as a JSON object."""
    what: bytes
    """Route, kind, entity type and fields, as a JSON object."""
    rest: bytes
    """When, of which record, in which request, asked for how, and how many: JSON with commas between."""

    @property
    def size(self) -> int:
        """Bytes in memory; what many have in common is there once."""
        return len(self.rest) + len(self.subject) + _OVERHEAD_BYTES


def batch_of(views: Sequence[View]) -> bytes:
    """Return what a row of the chain tells of some views, in their order."""
    whos: dict[bytes, int] = {}
    whats: dict[bytes, int] = {}
    told = [
        b"[%d,%d,%s]" % (whos.setdefault(who, len(whos)), whats.setdefault(what, len(whats)), rest)
        for _, who, what, rest in views
    ]
    subjects = dict.fromkeys(view.subject for view in views)
    parts = [b",".join(each) for each in (subjects, whos, whats, told)]
    return b'{"subjects":[%s],"who":[%s],"what":[%s],"views":[%s]}' % tuple(parts)
