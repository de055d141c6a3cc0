"""A view of a list: the part of it that a client asks for, and in which order."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from projections.tables.search_terms import sought_in
from query_api.paging.filters import Filters

DEFAULT_SIZE: Final = 20
MAX_SIZE: Final = 1000
MAX_PAGE: Final = 2**31 - 1


@dataclass(frozen=True)
class View:
    """A page of a list, sorted and filtered."""

    page: int = 0
    size: int = DEFAULT_SIZE
    sort: str = ""
    """By which field it is sorted; nothing: as the whole list is, by the code points of ids."""
    descending: bool = False
    q: str = ""
    """What is searched for."""
    filters: Filters = ()
    """What it is narrowed to besides."""
    masked: bool = False
    """Whether it is for somebody who may not see personal data: then `q` is not looked for there either."""

    @cached_property
    def sought(self) -> list[str]:
        """Of what a searched field must contain any; nothing: all rows are found."""
        return sought_in(self.q)

    @property
    def needs_terms(self) -> bool:
        """Whether it is read by way of the search terms."""
        return bool(self.sort or self.sought or self.filters)

    @property
    def tag(self) -> str:
        """What distinguishes this view's ETags from those of the list's other views."""
        members: list[Any] = [self.page, self.size, self.sort, self.descending, self.q, self.filters]
        if self.masked:
            members.append("masked")
        return sha256(json.dumps(members).encode()).hexdigest()[:16]


COUNT: Final = View(page=MAX_PAGE, size=1)
"""No row, and how many there are."""
