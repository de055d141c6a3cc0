"""Makes an audit file."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, date
from typing import IO, Any, Final

import psycopg
from psycopg import sql

from ops.base.database.pools import Pool
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.records.csv_lines import csv_lines
from ops.tamper_evidence.proofs import Bound, proof_lines
from ops.tamper_evidence.signed_notes import AUDIT_FILE
from query_api.audit.exports import COLUMNS, ndjson, rows_of, with_marks
from query_api.audit.statements import conditions_of
from query_api.audit.timeline import Timeline
from query_api.audit_file.archive import Archive
from query_api.audit_file.job import Job
from query_api.audit_file.log_rows import LogReader
from query_api.audit_file.plan import Seal
from query_api.audit_file.texts import MOST_LISTED, readme, statement
from query_api.database.source import BATCH, Scan, fetch
from query_api.history.changes import RecordedChange
from read_model.tables import REVISIONS

SIGN_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.2
_STATEMENT_SECONDS: Final = 60.0
_DISTINCT: Final = """
SELECT
  (SELECT count(*) FROM (SELECT DISTINCT entity, entity_id FROM {table} WHERE {span}) AS records),
  (SELECT count(*) FROM (SELECT DISTINCT actor_sub FROM {table} WHERE {span} AND actor_sub <> '') AS actors)
"""
_SPAN: Final = "position > %(low)s AND position <= %(high)s AND {conditions}"
_STAMPS: Final = "SELECT response FROM audit.time_stamps WHERE checkpoint = %s ORDER BY authority"
_INSERT: Final = "INSERT INTO audit.signatures (text) VALUES (%s) RETURNING id"
_NOTE: Final = "SELECT note FROM audit.signatures WHERE id = %s"

_FIELD: Final = COLUMNS.index("field")


class NotSigned(Exception):
    """The sealer has not signed the manifest in time."""


@dataclass
class Totals:
    """Numbers of the events in a file.

    Attributes:
        events: by day in UTC.
        values: numbers of changed values, by day.
        records: the number of changed records.
        people: the number of users who acted.
    """

    events: Counter[date] = field(default_factory=Counter)
    values: Counter[date] = field(default_factory=Counter)
    records: int = 0
    people: int = 0


async def make_file(job: Job, out: IO[bytes]) -> None:
    """Write an audit file to a stream.

    Raises:
        NotSigned: the file is incomplete.
    """
    pool = Pool(
        job.database,
        size=2,
        answer_seconds=_STATEMENT_SECONDS,
        settings={"statement_timeout": f"{_STATEMENT_SECONDS:.0f}s"},
    )
    async with KEYS.use(dsn=job.database), pool, ACTORS.use(pool):
        timeline, archive = Timeline(pool), Archive(out, job.moment)
        archive.add("README.txt", (await readme(job)).encode())
        out.flush()  # the service answers now
        totals = await _add_csv(job, timeline, archive)
        with archive.entry("changes.ndjson") as write:
            async for changes in _changes(job, timeline):
                write(ndjson(changes, reveal=job.reveal))
        totals.records, totals.people = await _count_distinct(job, pool)
        with archive.entry("statement.html") as write:
            async for text in statement(job, totals, _listed(job, timeline)):
                write(text.encode())
        await asyncio.to_thread(_add_proof, job, archive)
        for number, (response,) in enumerate(await fetch(pool, _STAMPS, (job.plan.end.number,)), start=1):
            archive.add(f"stamps/{number}.tsr", response)
        archive.add("manifest", (await _signed_manifest(job, pool, archive)).encode())
        archive.close()


async def _changes(job: Job, timeline: Timeline) -> AsyncIterator[list[RecordedChange]]:
    """Yield the file's changes in batches, and read the next batch meanwhile."""
    scan = Scan(job.plan.low, job.plan.high, BATCH, descending=False)
    batches = timeline.everything(
        job.wanted, descending=False, masked=not job.reveal, restricted=job.restricted, scan=scan
    )
    coming = asyncio.create_task(anext(batches, None))
    try:
        while (changes := await coming) is not None:
            coming = asyncio.create_task(anext(batches, None))
            await asyncio.sleep(0)  # sends the statement
            yield changes if job.reveal else [with_marks(change) for change in changes]
    finally:
        coming.cancel()


async def _add_csv(job: Job, timeline: Timeline, archive: Archive) -> Totals:
    totals = Totals()
    with archive.entry("changes.csv") as write:
        write(csv_lines([COLUMNS]).encode())
        async for changes in _changes(job, timeline):
            rows: list[list[Any]] = []
            for change in changes:
                of_change = rows_of(change, reveal=job.reveal)
                day = change.moment.astimezone(UTC).date()
                totals.events[day] += 1
                totals.values[day] += sum(row[_FIELD] != "" for row in of_change)
                rows += of_change
            write(csv_lines(rows).encode())
    return totals


async def _listed(job: Job, timeline: Timeline) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the CSV's rows of the first changes, by name of the column."""
    left = MOST_LISTED
    async for changes in _changes(job, timeline):
        for change in changes[:left]:
            yield [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(change, reveal=job.reveal)]
        left -= len(changes)
        if left <= 0:
            return


async def _count_distinct(job: Job, pool: Pool) -> tuple[int, int]:
    span = sql.SQL(_SPAN).format(conditions=conditions_of(job.wanted))
    statement = sql.SQL(_DISTINCT).format(table=REVISIONS.identifier, span=span)
    parameters = Timeline.parameters(job.wanted, (job.plan.low, job.plan.high))
    ((records, people),) = await fetch(pool, statement, parameters, prepare=False)
    return records, people


def _add_proof(job: Job, archive: Archive) -> None:
    plan = job.plan
    with psycopg.connect(job.database) as connection, archive.entry("proof.ndjson") as write:
        log = LogReader(connection)
        start = plan.start.size if plan.start else 0

        def bound(seal: Seal) -> Bound:
            return Bound(seal.note, seal.size, log.heads(seal.size))

        lines = proof_lines(
            job.scope,
            bound(plan.start) if plan.start else None,
            bound(plan.end),
            log.rows(job.scope, start, plan.end.size),
            log.root_between,
        )
        for line in lines:
            write(line)


async def _signed_manifest(job: Job, pool: Pool, archive: Archive) -> str:
    origin = job.plan.end.checkpoint.origin
    lines = [AUDIT_FILE, origin, *(f"{archive.hashes[name]} {name}" for name in sorted(archive.hashes))]
    ((number,),) = await fetch(pool, _INSERT, ("".join(f"{line}\n" for line in lines),))
    async with asyncio.timeout(SIGN_SECONDS):
        while True:
            ((note,),) = await fetch(pool, _NOTE, (number,))
            if note is not None:
                return str(note)
            await asyncio.sleep(_POLL_SECONDS)
