"""Reads the audit trail in batches, so that no statement takes too long."""

import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final, NamedTuple

from ops.base.records.json_values import to_json
from ops.base.records.masks import MASKED, is_personal
from query_api.audit.parameters import ChangeFilter
from query_api.audit.statements import (
    BOUNDS,
    SUBJECT_OF,
    changes_statement,
    conditions_of,
    counts_statement,
    runs_in,
)
from query_api.database.source import BATCH, PART_BYTES, Scan, Source, fetch
from query_api.history.changes import RecordedChange, load_changes
from query_api.http.parameters import PageParameters
from query_api.masking.masks import known_entity
from read_model.tables.search_terms import folded


def filters_in_python(wanted: ChangeFilter) -> bool:
    """Return whether `matches` may reject changes that the statement selects."""
    return wanted.q is not None or wanted.filters_personal_field


def matches(wanted: ChangeFilter, change: RecordedChange) -> bool:
    """Return whether a filter selects a change of `changes_statement`."""
    entity = known_entity(change.entity)
    # A search must not reveal changes of restricted personal fields.
    if wanted.field is not None and change.masked_as == MASKED and is_personal(entity, wanted.field):
        return False
    if wanted.q is None:
        return True
    changes = change.changes.decode()
    if change.masked_as is not None:
        shown = [one for one in json.loads(changes) if not is_personal(entity, one["field"])]
        changes = "\n".join(map(to_json, shown))
    # A registration's values include the name.
    record_name = None if change.type == f"{change.entity}.registered" else change.record_name
    texts = (
        *(change.entity_id, record_name, change.actor_sub, change.actor_name),
        *(change.request_id, change.client_request_id, change.reason, changes),
    )
    return folded(wanted.q) in folded("\n".join(filter(None, texts)))


PATIENCE_SECONDS: Final = 1.5
"""Time after which a page is returned with the changes found so far, and a cursor."""
EXPORT_ROWS: Final = 500
DECRYPTED_ROWS: Final = 2_000
"""Rows that are decrypted at once to be searched; most of them do not match."""
DECRYPTED_BYTES: Final = 4 * PART_BYTES
_PSEUDONYM: Final = re.compile(r"[0-9a-f]{32}")


class Found(NamedTuple):
    """The selected changes of a batch."""

    changes: list[RecordedChange]
    reached: int | None
    """The last position that was searched; None: all were."""


class Timeline:
    """Reads the audit trail."""

    def __init__(
        self, source: Source, *, batch: int = BATCH, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.source = source
        self._batch = batch
        self.patience_seconds = patience_seconds

    async def page(
        self, wanted: ChangeFilter, page: PageParameters, *, masked: bool = False, restricted: bool = False
    ) -> tuple[list[RecordedChange], int | None]:
        """Return a page of the selected changes, and the cursor of the next page.

        If changes are long, or the search takes long, a page has fewer changes than its limit, and still a
        next one.

        Args:
            masked: whether personal data is masked, and so not searched.
            restricted: whether restricted data is shown and searched.
        """
        wanted = await self.by_subject(wanted)
        scan = await self.scan(wanted, descending=page.descending)
        head = scan.high
        if page.cursor is not None and page.descending:
            scan.high = min(scan.high, page.cursor - 1)
        elif page.cursor is not None:
            scan.low = max(scan.low, page.cursor)
        deadline = time.monotonic() + self.patience_seconds
        found: list[RecordedChange] = []
        left = PART_BYTES
        while scan.is_left:
            batch = scan.next()
            further, reached = await self.changes(
                wanted,
                batch,
                limit=page.limit + 1 - len(found),
                descending=page.descending,
                most=left,
                masked=masked,
                restricted=restricted,
                head=head,
            )
            found += further
            left -= sum(len(change.changes) for change in further)
            if len(found) > page.limit:
                return found[: page.limit], found[: page.limit][-1].position
            scan.finish(batch, reached)
            if (time.monotonic() > deadline or left <= 0) and scan.is_left:
                return found, scan.cursor
        return found, None

    async def runs(self, wanted: ChangeFilter, shown: Sequence[RecordedChange]) -> dict[str, dict[str, Any]]:
        """Return the numbers of selected changes of the runs that the shown changes represent."""
        batches = [batch for change in shown if (batch := change.details.get("batch")) is not None]
        if not batches or not wanted.shows_runs_once:
            return {}
        wanted = await self.by_subject(wanted)
        scan = await self.scan(wanted, descending=True)
        conditions = conditions_of(wanted)
        parameters = {**self.parameters(wanted, (scan.low, scan.high)), "batches": batches}
        return runs_in(await fetch(self.source, counts_statement(conditions), parameters, prepare=False))

    async def everything(
        self,
        wanted: ChangeFilter,
        *,
        descending: bool,
        masked: bool = False,
        restricted: bool = False,
        scan: Scan | None = None,
        rows: int = EXPORT_ROWS,
    ) -> AsyncIterator[list[RecordedChange]]:
        """Yield all selected changes in batches; see `page`.

        Args:
            scan: the positions; None: those of the filter's time span up to the current head.
            rows: the number of changes that one statement reads, at most.
        """
        wanted = await self.by_subject(wanted)
        scan = scan or await self.scan(wanted, descending=descending)
        while scan.is_left:
            batch = scan.next()
            found, reached = await self.changes(
                wanted,
                batch,
                limit=rows,
                descending=descending,
                most=PART_BYTES,
                masked=masked,
                restricted=restricted,
            )
            scan.finish(batch, reached)  # before the yield, whose duration depends on the client
            if found:
                yield found

    async def by_subject(self, wanted: ChangeFilter) -> ChangeFilter:
        """Return the filter with a subject in place of its pseudonym in the event stream."""
        if wanted.actor is None or not _PSEUDONYM.fullmatch(wanted.actor):
            return wanted
        rows = await fetch(self.source, SUBJECT_OF, (wanted.actor,), prepare=False)
        return wanted.model_copy(update={"actor": rows[0][0]}) if rows else wanted

    async def scan(self, wanted: ChangeFilter, *, descending: bool) -> Scan:
        """Return a scan of the positions in a filter's time span."""
        if not wanted.entities:
            return Scan(0, 0, 1, descending=descending)
        span = {"since": wanted.since, "until": wanted.until}
        ((low, high),) = await fetch(self.source, BOUNDS, span, prepare=False)
        # Changes of an id or a batch are found by an index, so one statement reads all positions.
        batch = self._batch if wanted.id is None and wanted.batch is None else high
        return Scan(low, high, batch, descending=descending)

    async def changes(
        self,
        wanted: ChangeFilter,
        batch: tuple[int, int],
        *,
        limit: int,
        descending: bool,
        most: int,
        masked: bool,
        restricted: bool,
        head: int | None = None,
    ) -> Found:
        """Return the selected changes of a batch; see `page`. Changes after `head` do not end a run."""
        most_rows, most_bytes = limit, most
        if wanted.q is not None:
            most_rows, most_bytes = max(limit, DECRYPTED_ROWS), DECRYPTED_BYTES
        statement = changes_statement(wanted, descending=descending, most=most_bytes, masked=masked)
        parameters = {**self.parameters(wanted, batch), "limit": most_rows, "head": head}
        rows = await fetch(self.source, statement, parameters, prepare=False)
        is_filtered = wanted.q is not None or wanted.field is not None
        changes = await load_changes(
            [row[:-1] for row in rows],
            partial(matches, wanted) if is_filtered else None,
            masked=masked,
            restricted=restricted,
        )
        # More rows may follow if the limit in rows or bytes was reached.
        is_cut = bool(rows) and (len(rows) == most_rows or rows[0][-1] > len(rows))
        sizes = accumulate((len(change.changes) for change in changes), initial=0)
        shown = [change for change, before in zip(changes, sizes, strict=False) if before < most]
        if len(shown) < len(changes):
            return Found(shown, shown[-1].position)
        return Found(changes, rows[-1][0] if is_cut else None)

    @staticmethod
    def parameters(wanted: ChangeFilter, batch: tuple[int, int]) -> dict[str, Any]:
        """Return the statements' parameters for a filter and a batch of positions."""
        return {
            **vars(wanted),
            "entities": list(wanted.entities),
            "types": wanted.types,
            "low": batch[0],
            "high": batch[1],
        }
