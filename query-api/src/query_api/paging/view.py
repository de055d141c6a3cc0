"""A view of a list: the part of it that a client asks for, and in which order."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from projections.tables.search_terms import SECTION_ENDS, sought_in
from query_api.paging.filters import Filters

DEFAULT_SIZE: Final = 20
MAX_SIZE: Final = 1000
MAX_PAGE: Final = 2**31 - 1

_WILDCARDS: Final = re.compile(r"([%_\\])")
_HARMLESS_IN_LIST, _IN_LIST, _HARMLESS_ELSEWHERE = SECTION_ENDS
_SECTIONS: Final = {
    (False, False): [("%", "%")],
    (False, True): [("%", f"%{_HARMLESS_IN_LIST}%"), (f"%{_IN_LIST}%", f"%{_HARMLESS_ELSEWHERE}%")],
    (True, False): [("%", f"%{_IN_LIST}%")],
    (True, True): [("%", f"%{_HARMLESS_IN_LIST}%")],
}
"""What a search text has before and behind what is looked for, by `q_in_list` and `masked`."""


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
    q_in_list: bool = False
    """Whether it is looked for only where the list's own search does, not in all that is searched."""
    filters: Filters = ()
    """What it is narrowed to besides."""
    masked: bool = False
    """Whether it is for somebody who may not see personal data: then `q` is not looked for there either."""

    @cached_property
    def sought(self) -> list[str]:
        """Of what a searched field must contain any; nothing: all rows are found."""
        return sought_in(self.q)

    @cached_property
    def patterns(self) -> list[str]:
        """By which SQL's LIKE finds that, any of them, in a row's search text."""
        texts = [_WILDCARDS.sub(r"\\\1", text) for text in self.sought]
        sections = _SECTIONS[self.q_in_list, self.masked]
        return [f"{before}{text}{behind}" for text in texts for before, behind in sections]

    @property
    def needs_terms(self) -> bool:
        """Whether it is read by way of the search terms."""
        return bool(self.sort or self.sought or self.filters)

    @property
    def tag(self) -> str:
        """What distinguishes this view's ETags from those of the list's other views."""
        members: list[Any] = [self.page, self.size, self.sort, self.descending, self.q, self.filters]
        members += [name for name in ("q_in_list", "masked") if getattr(self, name)]
        return sha256(json.dumps(members).encode()).hexdigest()[:16]


COUNT: Final = View(page=MAX_PAGE, size=1)
"""No row, and how many there are."""
