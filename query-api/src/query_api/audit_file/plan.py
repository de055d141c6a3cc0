"""Chooses the checkpoints of an audit file, and counts its events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.states import ENCRYPTED_PREFIX
from ops.base.http.consistency import LogPosition
from ops.base.http.problems import Problem, unavailable
from ops.tamper_evidence.checkpoints import Checkpoint
from query_api.audit.parameters import ChangeFilter
from query_api.audit.statements import conditions_of
from query_api.audit.timeline import Timeline
from query_api.database.source import BATCH, Scan, Source, fetch
from query_api.freshness.read_your_writes import Freshness
from read_model.lock_keys import HELD, NAMESPACE, SEAL_KEY
from read_model.tables import REVISIONS

_STAMPED_WITHIN: Final = timedelta(hours=24)
_CANDIDATES: Final = 100
_CHECKPOINTS: Final = "SELECT number, note, recorded FROM audit.checkpoints"
_LATEST: Final = f"{_CHECKPOINTS} ORDER BY number DESC LIMIT 1"
_COVERING: Final = f"{_CHECKPOINTS} WHERE size >= %s ORDER BY size, number LIMIT {_CANDIDATES}"
_STAMPED: Final = f"""
{_CHECKPOINTS} WHERE size >= %s AND recorded <= %s
  AND EXISTS (SELECT FROM audit.time_stamps WHERE checkpoint = number)
ORDER BY size, number LIMIT {_CANDIDATES}
"""
_BEFORE: Final = f"""
{_CHECKPOINTS} WHERE size BETWEEN 1 AND %s ORDER BY size DESC, number DESC LIMIT {_CANDIDATES}
"""
_IS_SEALING: Final = f"""
SELECT log_id, EXISTS (SELECT FROM ({HELD}) AS held WHERE namespace = {NAMESPACE} AND key = {SEAL_KEY})
FROM log.identity
"""  # noqa: S608 - constants
_COUNT: Final = (
    "SELECT count(*) FROM {table} WHERE position > %(low)s AND position <= %(high)s AND {conditions}"
)
_UNENCRYPTED: Final = sql.SQL(
    """
    SELECT EXISTS (
      SELECT FROM log.events
      WHERE notification_id > %(low)s AND notification_id <= %(high)s
        AND (%(type)s::text IS NULL OR starts_with(originator_id, %(type)s || ':'))
        AND (%(stream)s::text IS NULL OR originator_id = %(stream)s)
        AND substring(state FOR {length}) <> {prefix}
    )
    """
).format(length=sql.Literal(len(ENCRYPTED_PREFIX)), prefix=sql.Literal(ENCRYPTED_PREFIX))
_STATE_BYTES: Final = """
SELECT coalesce(avg(octet_length(state)), 0)::int
FROM (SELECT state FROM log.events WHERE notification_id > %s ORDER BY notification_id LIMIT 200) AS sample
"""
_STATE_SHARE: Final = 0.6
"""Compressed size of a stored event, as a share of its state."""
_CHANGE_BYTES: Final = 60
_SKIP_BYTES: Final = 40
"""Typical compressed sizes of a change and of a skipped event."""


@dataclass(frozen=True)
class Seal:
    """A checkpoint in the database."""

    number: int
    note: str

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint, whose signature is not verified."""
        return Checkpoint.from_unverified_note(self.note)

    @property
    def size(self) -> int:
        """The position of the last event that it covers."""
        return self.checkpoint.size


@dataclass(frozen=True)
class Plan:
    """The contents of an audit file.

    Attributes:
        start: the checkpoint after which its proof begins; None: at the beginning of the log.
        low: the position after which its changes begin.
        high: the position of its last change, at most.
        events: the number of changes.
        uncovered: the number of later changes of the selection that no checkpoint covers yet.
        expected_bytes: estimated size of the file.
    """

    start: Seal | None
    end: Seal
    low: int
    high: int
    events: int
    uncovered: int
    expected_bytes: int


async def plan_file(
    timeline: Timeline, source: Source, freshness: Freshness, wanted: ChangeFilter, *, reveal: bool
) -> Plan:
    """Plan an audit file.

    Args:
        source: the primary.
        reveal: whether personal data is shown.

    Raises:
        Problem: 409 if no checkpoint covers the period, or if stored events contain personal data that must
            not be shown; 503 if the log is not being sealed, or the read tables lag behind.
    """
    ((log_id, is_sealing),) = await fetch(source, _IS_SEALING)
    if not is_sealing:
        raise unavailable(
            "Audit files cannot be signed now, because the log is not being sealed. Tell the operator.",
            retry_after=60,
        )
    scan = await timeline.scan(wanted, descending=False)
    low, head = scan.low, max(scan.low, scan.high)
    start, end = await _bounds(source, f"fleetlog/{log_id}", low, head, is_open=wanted.until is None)
    if not await freshness.wait(REVISIONS.name, [LogPosition(log_id, end.size)]):
        raise unavailable("The audit trail has not caught up yet. Please try again.", retry_after=5)
    if not reveal and await _has_unencrypted(source, wanted, start.size if start else 0, end.size):
        raise Problem(
            409,
            "unencrypted-history",
            "The selection has events from before encryption, whose stored form contains personal data."
            " Ask for personal data to be shown, or choose a later period.",
        )
    high = max(low, min(head, end.size))
    events, uncovered = await _count(timeline, wanted, low, high), 0
    if head > high:
        uncovered = await _count(timeline, wanted, high, head)
    shown = end.size - (start.size if start else 0)
    skipped = 0
    if wanted.entity is not None:
        shown, skipped = events, min(events, shown - events)
    ((state_bytes,),) = await fetch(source, _STATE_BYTES, (low,))
    expected = int(shown * state_bytes * _STATE_SHARE) + events * _CHANGE_BYTES + skipped * _SKIP_BYTES
    return Plan(start, end, low, high, events, uncovered, expected)


async def _bounds(
    source: Source, origin: str, low: int, head: int, *, is_open: bool
) -> tuple[Seal | None, Seal]:
    """Return the checkpoints between which the proof shows events; see `ops/docs/audit-format.md`."""
    latest = await fetch(source, _LATEST)
    if not latest:
        raise nothing_sealed()
    last = _seal(latest[0])

    def usable(rows: Iterable[Sequence[Any]]) -> Seal | None:
        return next((one for one in map(_seal, rows) if _is_usable(one, last, origin)), None)

    end = last if is_open else None
    if end is None:
        least = max(1, head)  # the first checkpoint may be of the empty log
        covering = await fetch(source, _COVERING, (least,))
        if (end := usable(covering)) is not None:
            recorded = next(row[2] for row in covering if row[0] == end.number)
            stamped = await fetch(source, _STAMPED, (least, recorded + _STAMPED_WITHIN))
            end = usable(stamped) or end
    end = end or usable(latest)
    if end is None or not end.size or end.size < min(head, low + 1):
        raise nothing_sealed()
    return usable(await fetch(source, _BEFORE, (min(low, end.size),))), end


def _seal(row: Sequence[Any]) -> Seal:
    return Seal(row[0], row[1])


def _is_usable(seal: Seal, last: Seal, origin: str) -> bool:
    """Return whether a checkpoint is one of this log, was not voided, and has the tree of streams."""
    one = seal.checkpoint
    return one.origin == origin and bool(one.streams) and not last.checkpoint.explains(one)


def nothing_sealed() -> Problem:
    """Return the 409 for a log, or a part, that no checkpoint covers."""
    return Problem(
        409,
        "nothing-sealed",
        "No seal covers this period yet. The log is sealed within a minute of a change: please try again.",
        headers={"Retry-After": "60"},
    )


async def _count(timeline: Timeline, wanted: ChangeFilter, low: int, high: int) -> int:
    if wanted.entity is None and wanted.actor is None:
        return high - low
    statement = sql.SQL(_COUNT).format(table=REVISIONS.identifier, conditions=conditions_of(wanted))
    scan, count = Scan(low, high, BATCH, descending=False), 0
    while scan.is_left:
        batch = scan.next()
        rows = await fetch(timeline.source, statement, timeline.parameters(wanted, batch), prepare=False)
        count += rows[0][0]
        scan.finish(batch, None)
    return count


async def _has_unencrypted(source: Source, wanted: ChangeFilter, low: int, high: int) -> bool:
    stream = None if wanted.id is None else f"{wanted.entity}:{wanted.id}"
    scan = Scan(low, high, BATCH, descending=False)
    while scan.is_left:
        batch = scan.next()
        parameters = {"low": batch[0], "high": batch[1], "type": wanted.entity, "stream": stream}
        if await fetch(source, _UNENCRYPTED, parameters, prepare=False) == [(True,)]:
            return True
        scan.finish(batch, None)
    return False
