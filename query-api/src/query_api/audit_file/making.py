"""Makes an audit file."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date
from typing import IO, Any, Final

import psycopg
from isal import isal_zlib
from psycopg import sql

from ops.base.database.pools import Pool
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.records.csv_lines import csv_lines
from ops.tamper_evidence.proofs import Bound, proof_lines
from ops.tamper_evidence.signed_notes import AUDIT_FILE
from query_api.audit.exports import COLUMNS, cells_of, mark
from query_api.audit.statements import conditions_of
from query_api.audit.timeline import Timeline
from query_api.audit_file.archive import Archive
from query_api.audit_file.job import Job
from query_api.audit_file.log_rows import LogReader
from query_api.audit_file.plan import Seal
from query_api.audit_file.texts import MOST_LISTED, readme, statement
from query_api.audit_file.workers import Workers, statement_pool
from query_api.database.source import BATCH, Scan, fetch
from read_model.tables import REVISIONS

SIGN_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.2
_HELD_BYTES: Final = 100_000_000
_DISTINCT: Final = """
WITH changed AS MATERIALIZED (
  SELECT entity, entity_id, actor_sub FROM {table} WHERE {span} GROUP BY entity, entity_id, actor_sub
)
SELECT
  (SELECT count(*) FROM (SELECT DISTINCT entity, entity_id FROM changed) AS records),
  (SELECT count(DISTINCT actor_sub) FROM changed WHERE actor_sub <> '')
"""
_SPAN: Final = "position > %(low)s AND position <= %(high)s AND {conditions}"
_STAMPS: Final = "SELECT response FROM audit.time_stamps WHERE checkpoint = %s ORDER BY authority"
_INSERT: Final = "INSERT INTO audit.signatures (text) VALUES (%s) RETURNING id"
_NOTE: Final = "SELECT note FROM audit.signatures WHERE id = %s"


@dataclass
class Totals:
    """Numbers of the changes in a file.

    Attributes:
        days: numbers by day in UTC.
        records: the number of changed records.
        people: the number of users who acted.
    """

    days: Counter[date] = field(default_factory=Counter)
    records: int = 0
    people: int = 0


async def make_file(job: Job, workers: Workers, out: IO[bytes]) -> None:
    """Write an audit file to a stream.

    Raises:
        TimeoutError: the sealer has not signed the manifest in time; the file is incomplete.
    """
    pool = statement_pool(job)
    async with KEYS.use(dsn=job.database), pool, ACTORS.use(pool):
        archive = Archive(out, job.moment)
        archive.add("README.txt", (await readme(job)).encode())
        out.flush()  # the service answers now
        totals, distinct = await asyncio.gather(
            asyncio.to_thread(_add_changes, job, workers, archive), _count_distinct(job, pool)
        )
        totals.records, totals.people = distinct
        with archive.entry("statement.html") as write:
            async for text in statement(job, totals, _listed(job, Timeline(pool))):
                write(text.encode())
        await asyncio.to_thread(_add_proof, job, workers, archive)
        for number, (response,) in enumerate(await fetch(pool, _STAMPS, (job.plan.end.number,)), start=1):
            archive.add(f"stamps/{number}.tsr", response)
        archive.add("manifest", (await _signed_manifest(job, pool, archive)).encode())
        archive.close()


def _add_changes(job: Job, workers: Workers, archive: Archive) -> Totals:
    """Add both forms of the changes; the second is held compressed, as far as the memory allows."""
    totals, held, held_up_to = Totals(), list[bytes](), job.plan.low
    left = _HELD_BYTES
    with archive.entry("changes.csv") as write:
        write(csv_lines([COLUMNS]).encode())
        for part in workers.changes(job.plan.low, job.plan.high):
            write(part.csv)
            totals.days.update(part.days)
            if (left := left - len(part.ndjson)) >= 0:
                held.append(part.ndjson)
                held_up_to = part.reached
    with archive.entry("changes.ndjson") as write:
        for lines in held:
            write(isal_zlib.decompress(lines))
        held.clear()
        for part in workers.changes(held_up_to, job.plan.high):
            write(isal_zlib.decompress(part.ndjson))
    return totals


async def _listed(job: Job, timeline: Timeline) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the cells of the first changes in the CSV: for each change a row for each field."""
    left = MOST_LISTED
    scan = Scan(job.plan.low, job.plan.high, BATCH, descending=False)
    batches = timeline.everything(
        job.wanted, descending=False, masked=not job.reveal, restricted=job.restricted, scan=scan
    )
    async for changes in batches:
        for change in changes[:left]:
            if not job.reveal:
                mark(change)
            first, fields, last = cells_of(change, reveal=job.reveal)
            yield [dict(zip(COLUMNS, (*first, *values, *last), strict=True)) for values in fields]
        left -= len(changes)
        if left <= 0:
            return


async def _count_distinct(job: Job, pool: Pool) -> tuple[int, int]:
    span = sql.SQL(_SPAN).format(conditions=conditions_of(job.wanted))
    statement = sql.SQL(_DISTINCT).format(table=REVISIONS.identifier, span=span)
    parameters = Timeline.parameters(job.wanted, (job.plan.low, job.plan.high))
    ((records, people),) = await fetch(pool, statement, parameters, prepare=False)
    return records, people


def _add_proof(job: Job, workers: Workers, archive: Archive) -> None:
    plan = job.plan
    start = plan.start.size if plan.start else 0
    with psycopg.connect(job.database) as connection, archive.entry("proof.ndjson") as write:
        log = LogReader(connection)

        def bound(seal: Seal) -> Bound:
            return Bound(seal.note, seal.size, log.heads(seal.size))

        lines = proof_lines(
            job.scope,
            bound(plan.start) if plan.start else None,
            bound(plan.end),
            workers.leaves(start, plan.end.size),
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
