"""Reading the whole log's timeline, a stretch at a time, so that no search takes too long."""

import re
import time
from collections.abc import AsyncIterator
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple

from ops.base.entities import ENTITY_TYPES
from ops.base.masks import MASKED, is_personal
from ops.base.sealing.ring import KEYS
from projections.tables.search_terms import folded
from query_api.audit.parameters import Filter
from query_api.audit.statements import bounds_statement, changes_statement, subject_statement
from query_api.bounds import PART_BYTES
from query_api.history.changes import Change, changes_in
from query_api.masking import known_entity
from query_api.parts import PartParameters
from query_api.source import Source, fetch

STRETCH: Final = 20_000
"""Positions that the first statement looks at; most filters find enough there."""
STRETCH_SECONDS: Final = 0.2
"""Later ones look at as many as take about so long, judging by the one before."""
MOST_GROWTH: Final = 8
PATIENCE_SECONDS: Final = 1.5
"""After so long a part is answered as far as it has come, and tells where the next one begins."""
EXPORT_ROWS: Final = 500
OPENED_ROWS: Final = 2_000
OPENED_BYTES: Final = 4 * PART_BYTES
"""Of what is sealed, and looked at here, at once: most of it is not what is looked for."""
_HARMLESS: Final = [f"{entity.name}.{name}" for entity in ENTITY_TYPES for name in sorted(entity.harmless)]
_PSEUDONYM: Final = re.compile(r"[0-9a-f]{32}")


class _Found(NamedTuple):
    changes: list[Change]
    reached: int | None
    """The last position that was looked at; None: all were."""


class Timeline:
    """The whole log, searched."""

    def __init__(
        self, source: Source, *, stretch: int = STRETCH, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._source = source
        self._stretch = stretch
        self._patience_seconds = patience_seconds

    async def part(
        self, wanted: Filter, part: PartParameters, *, masked: bool = False, restricted: bool = False
    ) -> tuple[list[Change], int | None]:
        """Return a part of what a filter lets through, and the cursor of the next part.

        A part may have less than its limit, even nothing, and a next one all the same: looking took long, or
        changes are long.

        Args:
            wanted: the filter.
            part: which part.
            masked: whether it is for somebody who may not see personal data, of which nothing is looked for.
            restricted: whether what is restricted is shown, and looked for, all the same.
        """
        wanted = await self._by_subject(wanted)
        low, high = await self._bounds(wanted)
        if part.cursor is not None:
            low, high = (
                (low, min(high, part.cursor - 1)) if part.descending else (max(low, part.cursor), high)
            )
        deadline = time.monotonic() + self._patience_seconds
        found: list[Change] = []
        left = PART_BYTES
        stretch = self._first_stretch(wanted, high)
        while low < high:
            first, last = _next_stretch(low, high, stretch, descending=part.descending)
            more = part.limit + 1 - len(found)
            began = time.monotonic()
            further, reached = await self._changes(
                wanted,
                first,
                last,
                limit=more,
                descending=part.descending,
                most=left,
                masked=masked,
                restricted=restricted,
            )
            found += further
            left -= sum(len(change.changes) for change in further)
            if len(found) > part.limit:
                return found[: part.limit], found[: part.limit][-1].position
            low, high = _beyond(low, high, first, last, reached, descending=part.descending)
            now = time.monotonic()
            if (now > deadline or left <= 0) and low < high:
                return found, high + 1 if part.descending else low
            if reached is None:
                stretch = grown(stretch, now - began)
        return found, None

    async def everything(
        self, wanted: Filter, *, descending: bool, masked: bool = False, restricted: bool = False
    ) -> AsyncIterator[list[Change]]:
        """Give all that a filter lets through, as it is at the beginning, a few at a time; see `part`."""
        wanted = await self._by_subject(wanted)
        low, high = await self._bounds(wanted)
        stretch = self._first_stretch(wanted, high)
        while low < high:
            first, last = _next_stretch(low, high, stretch, descending=descending)
            began = time.monotonic()
            found, reached = await self._changes(
                wanted,
                first,
                last,
                limit=EXPORT_ROWS,
                descending=descending,
                most=PART_BYTES,
                masked=masked,
                restricted=restricted,
            )
            if found:
                yield found
            low, high = _beyond(low, high, first, last, reached, descending=descending)
            if reached is None:
                stretch = grown(stretch, time.monotonic() - began)

    async def _by_subject(self, wanted: Filter) -> Filter:
        """Return the filter with a person's subject in the place of their pseudonym in the event stream."""
        if wanted.actor is None or not _PSEUDONYM.fullmatch(wanted.actor):
            return wanted
        rows = await fetch(self._source, subject_statement(wanted.actor), prepare=False)
        return wanted.model_copy(update={"actor": rows[0][0]}) if rows else wanted

    def _first_stretch(self, wanted: Filter, high: int) -> int:
        """An index leads straight to an entity's changes, wherever they are."""
        return high if wanted.id is not None else self._stretch

    async def _bounds(self, wanted: Filter) -> tuple[int, int]:
        """Return the positions after the first and up to the second of which a filter's times let through."""
        if not wanted.entities:
            return 0, 0
        ((low, high),) = await fetch(self._source, bounds_statement(wanted), prepare=False)
        return low, high

    async def _changes(
        self,
        wanted: Filter,
        low: int,
        high: int,
        *,
        limit: int,
        descending: bool,
        most: int,
        masked: bool,
        restricted: bool,
    ) -> _Found:
        looked_at, read = limit, most
        if _is_opened(wanted, masked=masked):
            looked_at, read = max(limit, OPENED_ROWS), OPENED_BYTES
        statement = changes_statement(wanted, descending=descending, most=read, masked=masked)
        parameters = {
            **vars(wanted),
            "entities": list(wanted.entities),
            "types": wanted.types,
            "harmless": _HARMLESS,
            "low": low,
            "high": high,
            "limit": looked_at,
        }
        rows = await fetch(self._source, statement, parameters, prepare=False)
        changes = await changes_in(
            [row[:-1] for row in rows], partial(_lets_through, wanted, masked=masked), restricted=restricted
        )
        # There may be more: these were as many as were asked for, or are long.
        is_cut = bool(rows) and (len(rows) == looked_at or rows[0][-1] > len(rows))
        sizes = accumulate((len(change.changes) for change in changes), initial=0)
        shown = [change for change, before in zip(changes, sizes, strict=False) if before < most]
        if len(shown) < len(changes):
            return _Found(shown, shown[-1].position)
        return _Found(changes, rows[-1][0] if is_cut else None)


def _is_opened(wanted: Filter, *, masked: bool) -> bool:
    """Tell whether it must be looked at what is sealed before anybody knows what a filter lets through."""
    return KEYS.seals and not masked and (wanted.q is not None or wanted.field is not None)


def _lets_through(wanted: Filter, change: Change, *, masked: bool) -> bool:
    """Tell whether what is sealed or withheld fits as well; see `changes_statement`."""
    if masked:
        return True
    if wanted.field is not None:
        # Which of its fields had a value is shown of nothing that is restricted, so it is not found by that.
        if change.withheld == MASKED and is_personal(known_entity(change.entity), wanted.field):
            return False
        if wanted.field not in change.fields:
            return False
    if wanted.q is None:
        return True
    people = (change.actor_sub, change.actor_name)
    texts = (change.entity_id, *people, change.request_id, change.client_request_id, change.reason)
    looked_at = "\n".join([*filter(None, texts), change.changes.decode()])
    return folded(wanted.q) in folded(looked_at)


def _beyond(
    low: int, high: int, first: int, last: int, reached: int | None, *, descending: bool
) -> tuple[int, int]:
    """Return what is left of a span when a stretch of it was looked at, as far as that was reached."""
    if descending:
        return low, first if reached is None else reached - 1
    return last if reached is None else reached, high


def grown(stretch: int, seconds: float) -> int:
    """Return how many positions to look at next, after having looked at so many for so long."""
    return max(1, round(stretch * min(MOST_GROWTH, STRETCH_SECONDS / max(seconds, 1e-6))))


def _next_stretch(low: int, high: int, stretch: int, *, descending: bool) -> tuple[int, int]:
    return (max(low, high - stretch), high) if descending else (low, min(high, low + stretch))
