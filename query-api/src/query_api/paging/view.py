"""A view of a list: a page, with its order and filters."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from query_api.paging.filters import Filters
from read_model.tables.search_terms import SECTION_ENDS, sought_in

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
"""LIKE patterns before and after a search term, by `q_in_list` and `masked`: the searched sections."""


@dataclass(frozen=True)
class ListView:
    """A page of a list, sorted and filtered."""

    page: int = 0
    size: int = DEFAULT_SIZE
    sort: str = ""
    """The sort field; empty: by the code points of ids."""
    descending: bool = False
    q: str = ""
    """The search text."""
    q_in_list: bool = False
    """Whether `q` is searched only in the fields of the list screen's own search."""
    filters: Filters = ()
    masked: bool = False
    """Whether personal data is masked; then `q` is not searched in personal fields."""

    @cached_property
    def patterns(self) -> list[str]:
        """LIKE patterns; a row's search text must match one of them, unless there are none."""
        texts = [_WILDCARDS.sub(r"\\\1", text) for text in sought_in(self.q)]
        sections = _SECTIONS[self.q_in_list, self.masked]
        return [f"{before}{text}{after}" for text in texts for before, after in sections]

    @property
    def needs_terms(self) -> bool:
        """Whether the view needs the search terms."""
        return bool(self.sort or self.patterns or self.filters)

    @property
    def tag(self) -> str:
        """A digest that distinguishes the entity tags of a list's views."""
        members: list[Any] = [self.page, self.size, self.sort, self.descending, self.q, self.filters]
        members += [name for name in ("q_in_list", "masked") if getattr(self, name)]
        return sha256(json.dumps(members).encode()).hexdigest()[:16]


COUNT: Final = ListView(page=MAX_PAGE, size=1)
"""A view of no row, whose answer has the number of all rows."""
