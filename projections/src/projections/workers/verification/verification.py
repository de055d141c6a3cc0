"""Holds the log, the access log and what people look at against what was sealed."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
from psycopg import AsyncConnection, IsolationLevel

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from ops.base.database.pools import connect
from ops.tamper_evidence.accesses import AccessCheck
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey, VerifyingKey
from ops.tamper_evidence.verification import Verdict, Verification
from projections.failures import ProjectionStopped
from projections.reading.log import read_head
from projections.workers.sealing.notes import all_accesses, all_notes, last_note
from projections.workers.sealing.retention import forgettable
from projections.workers.sealing.rows import all_rows, former_origins, origin_of
from projections.workers.sealing.witnesses import Witness, ask_all
from projections.workers.verification.copies import Sealed, disagreement, trusted
from projections.workers.verification.read_tables import ReadTablesCheck, TableVerdict

PATIENCE_SECONDS: Final = 2.0
"""For what is being sealed at this moment."""


@dataclass(frozen=True)
class Wanted:
    """What the log is held against besides its seals, and what besides the log."""

    kept: Sequence[Path] = ()
    """Files with checkpoints that were kept elsewhere."""
    witnesses: Sequence[Witness] = ()
    """Places that remember checkpoints."""
    log_only: bool = False
    """Leave out the read tables."""
    publishing: PublicationPolicy = DEFAULT_POLICY
    """What public events show besides what is declared public."""


Report = Callable[[int, int], None]
"""Told how many events were looked at, and how many there are."""
_INSERT: Final = "INSERT INTO operations.verifications (ok, words) VALUES (%s, %s)"


@dataclass
class Findings:
    """What came of it all."""

    verdict: Verdict
    last: Checkpoint | None = None
    faults: list[str] = field(default_factory=list)
    """In what places disagree."""
    access_fault: str | None = None
    accesses: tuple[int, int] = (0, 0)
    """How many were sealed, and how many there are."""
    tables: Sequence[TableVerdict] = ()

    @property
    def fits(self) -> bool:
        """Whether everything does, and something vouches for it."""
        return self.verdict.sealed > 0 and not self.is_amiss

    @property
    def is_amiss(self) -> bool:
        """Whether anything does not fit; that a new log has no events that are sealed yet is no fault."""
        return (
            self.verdict.fault is not None
            or self.last is None
            or bool(self.faults)
            or self.access_fault is not None
            or not all(table.fits for table in self.tables)
        )

    @property
    def is_anything_sealed(self) -> bool:
        """Whether there was anything to hold the log against."""
        return self.verdict.fault is not None or self.verdict.sealed > 0

    def lines(self) -> Iterator[str]:
        """Say what was found."""
        verdict = self.verdict
        if verdict.fault is not None:
            where = "" if verdict.position is None else f" at position {verdict.position}"
            yield f"THE LOG IS NOT WHAT WAS SEALED: {verdict.fault}{where}"
        elif not self.is_anything_sealed:
            yield f"Nothing has been sealed yet; the log has {verdict.events} events"
        else:
            yield from self._sealed_lines()
        for beginning in self.last.restarts if self.last else ():
            yield str(beginning)
        for fault in self.faults:
            yield f"THE PLACES THAT REMEMBER CHECKPOINTS DO NOT AGREE: {fault}"
        if self.access_fault is not None:
            yield f"THE ACCESS LOG IS NOT WHAT WAS SEALED: {self.access_fault}"
        for table in self.tables:
            yield from _table_lines(table)

    def _sealed_lines(self) -> Iterator[str]:
        verdict, (sealed, accesses) = self.verdict, self.accesses
        reported = f"{verdict.sealed} of {verdict.events} events are what was sealed"
        if verdict.unsealed_since is not None:
            since = verdict.unsealed_since.isoformat(sep=" ", timespec="seconds")
            reported += (
                f"; nothing vouches yet for those after position {verdict.sealed}, the first of {since}"
            )
        yield reported
        if accesses and self.access_fault is None:
            yield f"The access log is what was sealed up to access {sealed} of {accesses}"
        names = ", ".join(f"{table.table.name} up to {table.position}" for table in self.tables if table.fits)
        if names:
            yield f"Read tables are what the log adds up to: {names}"


NOTHING_ELSE: Final = Wanted()


async def hold_against_seals(
    dsn: str,
    seals: SealedLog,
    key: SigningKey,
    wanted: Wanted = NOTHING_ELSE,
    report: Report = lambda _done, _total: None,
) -> Findings:
    """Recompute everything that is sealed, and what people look at, and find what does not fit.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they must be signed with.
        wanted: what else to look at.
        report: notified of the progress.

    Raises:
        ProjectionStopped: something cannot be read at all.
        psycopg.OperationalError: the database cannot be reached.
    """
    kept = [_kept(path, key.verifying_key) for path in wanted.kept]
    async with await connect(dsn, autocommit=True) as connection:
        try:
            await _await_sealing(connection, seals)
            return await _found(connection, seals, key.verifying_key, wanted, kept, report=report)
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            raise ProjectionStopped(f"the log's table cannot be read: {type(error).__name__}") from None
        except BadSeals as error:
            return Findings(Verdict(0, None, str(error), error.position))


async def record(dsn: str, findings: Findings) -> None:
    """Keep what was found, for those who look after the system.

    Raises:
        psycopg.Error: it cannot be kept.
    """
    async with await connect(dsn, autocommit=True) as connection:
        await connection.execute(_INSERT, (not findings.is_amiss, "\n".join(findings.lines())))


async def _found(
    connection: AsyncConnection,
    seals: SealedLog,
    key: VerifyingKey,
    wanted: Wanted,
    kept: Sequence[Checkpoint],
    *,
    report: Report,
) -> Findings:
    reported, away = await ask_all(wanted.witnesses, key)
    faults = [f"the witness {name} cannot be asked: {why}" for name, why in away.items()]
    origin, former = await origin_of(connection), await former_origins(connection)
    verification = Verification(seals, key, origin=origin, former=former, kept=kept)
    # Log, tables and positions as of one moment, after the seals were read.
    await connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
    async with connection.transaction():
        tables = None
        if not wanted.log_only:
            tables = await ReadTablesCheck.begin(connection, publishing=wanted.publishing)
        head, looked_at = await read_head(connection), 0
        async with aclosing(all_rows(connection)) as stretches:
            async for rows in stretches:
                verification.add(rows)
                looked_at += len(rows)
                report(looked_at, max(head, looked_at))
                if verification.found_fault:
                    break
                if tables is not None:
                    await _judge(tables, rows)
        checkpoints = verification.checkpoints
        findings = Findings(verification.verdict(), checkpoints[-1] if checkpoints else None)
        if findings.verdict.fault is not None:
            return findings
        findings.faults, sealed = faults, Sealed(checkpoints)
        findings.tables = [] if tables is None else await tables.finish()
        remembered = trusted(await all_notes(connection), key, faults)
        faults += filter(None, [disagreement(seals, key, checkpoints, remembered)])
        faults += [
            f"the witness {name} knows a checkpoint of position {one.size} that the seals do not have"
            for name, one in reported
            if not sealed.accounts_for(one)
        ]
        held = [one for one in (*remembered, *kept) if sealed.has(one)]
        await _check_accesses(connection, [*checkpoints, *held], findings)
    return findings


async def _judge(tables: ReadTablesCheck, rows: Sequence[LogRow]) -> None:
    try:
        await tables.take(rows)
    except (TypeError, ValueError, AttributeError):
        raise ProjectionStopped("the log has a row after its last seal that is no event") from None


async def _await_sealing(connection: AsyncConnection, seals: SealedLog) -> None:
    """Wait while a checkpoint is being written: to the folder, then to the database, then its hashes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        note = await last_note(connection)
        if seals.note(seals.newest()) == (note or ""):
            break
        await asyncio.sleep(0.05)
    await asyncio.to_thread(seals.await_hashes, seconds=PATIENCE_SECONDS)


async def _check_accesses(
    connection: AsyncConnection, checkpoints: Iterable[Checkpoint], findings: Findings
) -> None:
    checkpoints = [one for one in checkpoints if one.accesses.number]
    ends = {one.accesses for one in checkpoints}
    points = {end.number: end.hash for end in ends}
    check = AccessCheck(points, {end.number for end in forgettable(checkpoints)})
    if len(points) < len(ends):
        check.fault = "checkpoints say different things of it"
    async with aclosing(all_accesses(connection)) as stretches:
        async for rows in stretches:
            for row in rows:
                check.add(row)
    check.finish()
    findings.access_fault = check.fault
    findings.accesses = max(points, default=0), check.number


def _kept(path: Path, key: VerifyingKey) -> Checkpoint:
    try:
        return Checkpoint.from_note(path.read_bytes().decode(), key)
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectionStopped(f"the checkpoint {path} cannot be read: {type(error).__name__}") from None
    except BadCheckpoint as error:
        raise ProjectionStopped(f"the checkpoint {path} is not this instance's: {error}") from None


def _table_lines(verdict: TableVerdict) -> Iterator[str]:
    name = f"read.{verdict.table.name}"
    if verdict.quarantined:
        yield f"{name}: {verdict.quarantined} streams are set aside, and were judged up to there"
    if verdict.unjudged is not None:
        yield f"THE TABLE {name} WAS NOT JUDGED: {verdict.unjudged}"
    elif verdict.differences:
        more = ", …" if verdict.differences > len(verdict.examples) else ""
        yield (
            f"THE TABLE {name} IS NOT WHAT THE LOG ADDS UP TO: {verdict.differences} rows differ:"
            f" {', '.join(verdict.examples)}{more}"
        )
