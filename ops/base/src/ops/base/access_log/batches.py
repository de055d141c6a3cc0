"""Views as they are recorded: many in one text, which says once what is the same for many of them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Actor

VIEWS: Final = "views"
"""The action of a row of the access log that holds a batch of views."""
RECORD_VIEWS: Final = "SELECT audit.record_access(%s::uuid, '', '', '', 'views', %s::json)"
"""Records a batch, of its id and its text; the same id again records nothing."""
_OVERHEAD_BYTES: Final = 250
"""What a view takes in memory beside its text."""


class View(NamedTuple):
    """That somebody is shown something."""

    subject: bytes
    """Whose, as a JSON text: see migration 0018."""
    who: bytes
    """Their subject, as a JSON object; with their name where nothing is sealed."""
    what: bytes
    """Route, kind, entity type and fields, as a JSON object."""
    rest: bytes
    """When, of which record, in which request, asked for how, and how many: JSON with commas between."""
    request: str = ""
    """The id of that request, where something was searched for."""
    search: str | None = None
    """What was searched for, which is not recorded as it is."""
    actor: Actor | None = None
    """Whose name the directory must have before it is recorded; None: that is not needed."""

    @property
    def size(self) -> int:
        """Bytes in memory; what many have in common is there once."""
        return len(self.rest) + len(self.subject) + 4 * len(self.search or "") + _OVERHEAD_BYTES


def batch_of(
    views: Sequence[View], searches: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> bytes:
    """Return what a row of the chain tells of some views, in their order.

    Args:
        views: the views.
        searches: what is recorded of what was searched for, by its request.
    """
    whos: dict[bytes, int] = {}
    whats: dict[bytes, int] = {}
    told = [
        b"[%d,%d,%s%s]"
        % (
            whos.setdefault(view.who, len(whos)),
            whats.setdefault(view.what, len(whats)),
            view.rest,
            b"" if view.search is None else b"," + json_bytes(searches[view.request]),
        )
        for view in views
    ]
    subjects = dict.fromkeys(view.subject for view in views)
    parts = [b",".join(each) for each in (subjects, whos, whats, told)]
    return b'{"subjects":[%s],"who":[%s],"what":[%s],"views":[%s]}' % tuple(parts)
