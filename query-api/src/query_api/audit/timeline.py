"""Reading the whole log's timeline, a stretch at a time, so that no search takes too long."""

import re
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final, NamedTuple

from ops.base.encryption.key_cache import KEYS
from ops.base.records.masks import MASKED, is_personal
from projections.tables.search_terms import folded
from query_api.audit.parameters import Filter
from query_api.audit.statements import (
    HARMLESS,
    all_of,
    bounds_statement,
    changes_statement,
    conditions_of,
    counts_statement,
    runs_in,
    subject_statement,
)
from query_api.history.changes import Change, changes_in
from query_api.http.parameters import PartParameters
from query_api.masking.masking import known_entity
from query_api.reading.source import PART_BYTES, STRETCH, Source, Span, fetch


def looks_into_boxes(wanted: Filter, *, masked: bool) -> bool:
    """Tell whether it must be looked at what is sealed before anybody knows what a filter lets through."""
    return KEYS.is_configured and not masked and wanted.q is not None


def must_be_opened(wanted: Filter, *, masked: bool) -> bool:
    """Tell whether `lets_through` may refuse what the statement lets through."""
    return not masked and (wanted.q is not None or wanted.names_personal_field)


def lets_through(wanted: Filter, change: Change, *, masked: bool) -> bool:
    """Tell whether what is sealed or withheld fits as well; see `changes_statement`."""
    if masked:
        return True
    # Of what is restricted nobody is led to what is personal in it.
    if (
        wanted.field is not None
        and change.withheld == MASKED
        and is_personal(known_entity(change.entity), wanted.field)
    ):
        return False
    if wanted.q is None:
        return True
    is_named_there = change.type == f"{change.entity}.registered"  # among the values that it set
    record_name = None if is_named_there else change.record_name
    people = (change.actor_sub, change.actor_name)
    texts = (
        change.entity_id,
        record_name,
        *people,
        change.request_id,
        change.client_request_id,
        change.reason,
    )
    looked_at = "\n".join([*filter(None, texts), change.changes.decode()])
    return folded(wanted.q) in folded(looked_at)


PATIENCE_SECONDS: Final = 1.5
"""After so long a part is answered as far as it has come, and tells where the next one begins."""
EXPORT_ROWS: Final = 500
OPENED_ROWS: Final = 2_000
OPENED_BYTES: Final = 4 * PART_BYTES
"""Of what is sealed, and looked at here, at once: most of it is not what is looked for."""
_PSEUDONYM: Final = re.compile(r"[0-9a-f]{32}")


class Found(NamedTuple):
    """What a stretch has that a filter lets through."""

    changes: list[Change]
    reached: int | None
    """The last position that was looked at; None: all were."""


class Timeline:
    """The whole log, searched."""

    def __init__(
        self, source: Source, *, stretch: int = STRETCH, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.source = source
        self._stretch = stretch
        self.patience_seconds = patience_seconds

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
        wanted = await self.by_subject(wanted)
        span = await self.span(wanted, descending=part.descending)
        head = span.high
        if part.cursor is not None and part.descending:
            span.high = min(span.high, part.cursor - 1)
        elif part.cursor is not None:
            span.low = max(span.low, part.cursor)
        deadline = time.monotonic() + self.patience_seconds
        found: list[Change] = []
        left = PART_BYTES
        while span.is_left:
            stretch = span.next()
            further, reached = await self.changes(
                wanted,
                stretch,
                limit=part.limit + 1 - len(found),
                descending=part.descending,
                most=left,
                masked=masked,
                restricted=restricted,
                head=head,
            )
            found += further
            left -= sum(len(change.changes) for change in further)
            if len(found) > part.limit:
                return found[: part.limit], found[: part.limit][-1].position
            span.go_on(stretch, reached)
            if (time.monotonic() > deadline or left <= 0) and span.is_left:
                return found, span.cursor
        return found, None

    async def runs(self, wanted: Filter, told: Sequence[Change]) -> dict[str, dict[str, Any]]:
        """Return how many changes the runs have that are told once, as far as a filter lets these through."""
        batches = [change.batch for change in told if change.batch is not None]
        if not batches or not wanted.tells_runs_once:
            return {}
        wanted = await self.by_subject(wanted)
        span = await self.span(wanted, descending=True)
        conditions = all_of([*conditions_of(wanted, masked=False), "entities"])
        parameters = {**self.parameters(wanted, (span.low, span.high)), "batches": batches}
        return runs_in(await fetch(self.source, counts_statement(conditions), parameters, prepare=False))

    async def everything(
        self, wanted: Filter, *, descending: bool, masked: bool = False, restricted: bool = False
    ) -> AsyncIterator[list[Change]]:
        """Give all that a filter lets through, as it is at the beginning, a few at a time; see `part`."""
        wanted = await self.by_subject(wanted)
        span = await self.span(wanted, descending=descending)
        while span.is_left:
            stretch = span.next()
            found, reached = await self.changes(
                wanted,
                stretch,
                limit=EXPORT_ROWS,
                descending=descending,
                most=PART_BYTES,
                masked=masked,
                restricted=restricted,
            )
            span.go_on(stretch, reached)  # before a slow client takes its time
            if found:
                yield found

    async def by_subject(self, wanted: Filter) -> Filter:
        """Return the filter with a person's subject in the place of their pseudonym in the event stream."""
        if wanted.actor is None or not _PSEUDONYM.fullmatch(wanted.actor):
            return wanted
        rows = await fetch(self.source, subject_statement(wanted.actor), prepare=False)
        return wanted.model_copy(update={"actor": rows[0][0]}) if rows else wanted

    async def span(self, wanted: Filter, *, descending: bool) -> Span:
        """Return the positions that a filter's times let through."""
        if not wanted.entities:
            return Span(0, 0, 1, descending=descending)
        ((low, high),) = await fetch(self.source, bounds_statement(wanted), prepare=False)
        # An index leads straight to an entity's changes, wherever they are.
        stretch = self._stretch if wanted.id is None and wanted.batch is None else high
        return Span(low, high, stretch, descending=descending)

    async def changes(
        self,
        wanted: Filter,
        stretch: tuple[int, int],
        *,
        limit: int,
        descending: bool,
        most: int,
        masked: bool,
        restricted: bool,
        head: int | None = None,
    ) -> Found:
        """Return what a filter lets through of a stretch; see `part`. What is after `head` ends no run."""
        looked_at, read = limit, most
        if looks_into_boxes(wanted, masked=masked):
            looked_at, read = max(limit, OPENED_ROWS), OPENED_BYTES
        statement = changes_statement(wanted, descending=descending, most=read, masked=masked)
        parameters = {**self.parameters(wanted, stretch), "limit": looked_at, "head": head}
        rows = await fetch(self.source, statement, parameters, prepare=False)
        changes = await changes_in(
            [row[:-1] for row in rows], partial(lets_through, wanted, masked=masked), restricted=restricted
        )
        # There may be more: these were as many as were asked for, or are long.
        is_cut = bool(rows) and (len(rows) == looked_at or rows[0][-1] > len(rows))
        sizes = accumulate((len(change.changes) for change in changes), initial=0)
        shown = [change for change, before in zip(changes, sizes, strict=False) if before < most]
        if len(shown) < len(changes):
            return Found(shown, shown[-1].position)
        return Found(changes, rows[-1][0] if is_cut else None)

    @staticmethod
    def parameters(wanted: Filter, stretch: tuple[int, int]) -> dict[str, Any]:
        """Return what statements know of a filter and a stretch."""
        return {
            **vars(wanted),
            "entities": list(wanted.entities),
            "types": wanted.types,
            **HARMLESS,
            "low": stretch[0],
            "high": stretch[1],
        }
