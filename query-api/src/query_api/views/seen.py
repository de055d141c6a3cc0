"""One view, as it is told."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from ops.base.encryption.naming import Names
from ops.base.encryption.searches import MEMBER, opened_search
from ops.base.records.masks import MASKED
from query_api.history.wire import withheld_name
from query_api.masking.masking import masked_actor
from query_api.views.showing import OF_VIEWS

VIEW: Final = "view"
"""What the access log calls one."""


class Seen:
    """That somebody was shown something.

    Attributes:
        number: its place in the chain.
        said: who was shown what, and when.
        moment: when.
        search: what is kept of what was searched for, if anything was.
        unnamed: the member that says why nobody is told what they were called; None: it is told.
    """

    def __init__(
        self, number: int, said: dict[str, Any], moment: datetime, search: Mapping[str, Any] | None = None
    ) -> None:
        """Describe it."""
        self.number = number
        self.moment = moment
        self.unnamed: str | None = None
        self.said = said
        self.search = search

    def name(self, names: Names) -> None:
        """Tell what who was shown it was called then."""
        actor = self.said["actor"]
        called = names.of(actor["sub"], self.moment, actor.get("name"))
        self.said["actor"] = {"sub": actor["sub"], "name": called.name}
        self.unnamed = called.withheld

    def open_search(self) -> None:
        """Tell what was searched for, by a key that was loaded; null: nobody knows any more.

        Raises:
            CannotOpen: it was changed.
        """
        if self.search is not None:
            text = opened_search(self.search, self.said["request_id"])
            self.said["filter"] = {**(self.said["filter"] or {}), MEMBER: text}

    def told(self, *, masked: bool) -> dict[str, Any]:
        """Return it as those see it whom a record concerns.

        Args:
            masked: without what it says of people, but for who they are to the identity provider.
        """
        told = {"number": self.number, **self.said}
        del told["entity"], told["id"]
        if masked:
            actor, _ = masked_actor(self.said["actor"])
            return told | {"actor": actor, "filter": None, MASKED: OF_VIEWS}
        return told | self._withheld

    def as_access(self) -> dict[str, Any]:
        """Return it as the access log tells of anything."""
        who = {name: self.said[name] for name in ("moment", "actor", "request_id")}
        details = {name: value for name, value in self.said.items() if name not in who}
        return {"number": self.number, **who, "action": VIEW, "details": details, **self._withheld}

    @property
    def _withheld(self) -> dict[str, Any]:
        return withheld_name(self.unnamed)
