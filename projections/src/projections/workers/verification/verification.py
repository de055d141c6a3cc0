"""Verifies the log, the access log and the read tables against the seals."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import psycopg
from cryptography.x509 import Certificate
from psycopg import AsyncConnection, IsolationLevel

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from ops.base.database.connection import connect
from ops.tamper_evidence.accesses import AccessCheck
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey, VerifyingKey
from ops.tamper_evidence.time_stamps import BadTimeStamp, check_time_stamp
from ops.tamper_evidence.verification import Verdict, Verification
from projections.event_log import read_head
from projections.failures import ProjectionStopped
from projections.workers.sealing.agreement import accounts_for, disagreement, note_digest, trusted
from projections.workers.sealing.audit_tables import all_accesses, all_notes, all_time_stamps, last_note
from projections.workers.sealing.retention import is_forgettable
from projections.workers.sealing.rows import all_rows, former_origins, origin_of
from projections.workers.sealing.witnesses import Witness, ask_all
from projections.workers.verification.read_tables import ReadTablesCheck, TableVerdict

PATIENCE_SECONDS: Final = 2.0
"""Wait for a checkpoint that is being written."""


@dataclass(frozen=True)
class Scope:
    """What is verified in addition to the log and its seals."""

    kept: Sequence[Path] = ()
    """Files with checkpoints that were stored elsewhere."""
    witnesses: Sequence[Witness] = ()
    authorities: Sequence[Certificate] = ()
    """Trusted root certificates of time stamp authorities."""
    log_only: bool = False
    """Skip the read tables."""
    publishing: PublicationPolicy = DEFAULT_POLICY
    """What public events contain in addition to public fields."""


Report = Callable[[int, int], None]
"""Called with the number of verified events, and of all events."""
_INSERT: Final = "INSERT INTO operations.verifications (ok, words) VALUES (%s, %s)"


@dataclass
class Findings:
    """The result of a verification."""

    verdict: Verdict
    last: Checkpoint | None = None
    faults: list[str] = field(default_factory=list)
    """Disagreements between copies of the checkpoints."""
    access_fault: str | None = None
    accesses: tuple[int, int] = (0, 0)
    """The number of sealed accesses, and of all."""
    stamps: list[str] = field(default_factory=list)
    """What time stamps show."""
    stamp_faults: list[str] = field(default_factory=list)
    tables: Sequence[TableVerdict] = ()

    @property
    def fits(self) -> bool:
        """Whether events are sealed, and nothing has a fault."""
        return self.verdict.sealed > 0 and not self.has_faults

    @property
    def has_faults(self) -> bool:
        """Whether anything has a fault; a new log without sealed events has none."""
        return (
            self.verdict.fault is not None
            or self.last is None
            or bool(self.faults)
            or self.access_fault is not None
            or bool(self.stamp_faults)
            or not all(table.fits for table in self.tables)
        )

    @property
    def is_anything_sealed(self) -> bool:
        """Whether seals cover any event."""
        return self.verdict.fault is not None or self.verdict.sealed > 0

    def lines(self) -> Iterator[str]:
        """Yield the findings as text."""
        verdict = self.verdict
        if verdict.fault is not None:
            where = "" if verdict.position is None else f" at position {verdict.position}"
            yield f"THE LOG DOES NOT MATCH ITS SEALS: {verdict.fault}{where}"
        elif not self.is_anything_sealed:
            yield f"Nothing has been sealed yet; the log has {verdict.events} events"
        else:
            yield from self._sealed_lines()
        for beginning in self.last.restarts if self.last else ():
            yield str(beginning)
        for fault in self.faults:
            yield f"THE COPIES OF THE CHECKPOINTS DISAGREE: {fault}"
        if self.access_fault is not None:
            yield f"THE ACCESS LOG DOES NOT MATCH ITS SEALS: {self.access_fault}"
        yield from self.stamps
        for fault in self.stamp_faults:
            yield f"A TIME STAMP DOES NOT MATCH ITS CHECKPOINT: {fault}"
        for table in self.tables:
            yield from _table_lines(table)

    def _sealed_lines(self) -> Iterator[str]:
        verdict, (sealed, accesses) = self.verdict, self.accesses
        reported = f"{verdict.sealed} of {verdict.events} events match their seals"
        if verdict.unsealed_since is not None:
            since = verdict.unsealed_since.isoformat(sep=" ", timespec="seconds")
            reported += f"; those after position {verdict.sealed} are not sealed yet, the first of {since}"
        yield reported
        if accesses and self.access_fault is None:
            yield f"The access log matches its seals up to access {sealed} of {accesses}"
        names = ", ".join(f"{table.table.name} up to {table.position}" for table in self.tables if table.fits)
        if names:
            yield f"Read tables match the log: {names}"


EVERYTHING: Final = Scope()


async def verify_log(
    dsn: str,
    seals: SealedLog,
    key: SigningKey,
    scope: Scope = EVERYTHING,
    report: Report = lambda _done, _total: None,
) -> Findings:
    """Recompute all sealed hashes and all rows of the read tables, and return what does not match.

    Args:
        key: the key that must have signed them.
        scope: what else to verify.

    Raises:
        ProjectionStopped: a checkpoint or the log cannot be read.
        psycopg.OperationalError: the database cannot be reached.
    """
    kept = [_kept(path, key.verifying_key) for path in scope.kept]
    async with await connect(dsn, autocommit=True) as connection:
        try:
            await _await_sealing(connection, seals)
            return await _found(connection, seals, key.verifying_key, scope, kept, report=report)
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            raise ProjectionStopped(f"the log's table cannot be read: {type(error).__name__}") from None
        except BadSeals as error:
            return Findings(Verdict(0, None, str(error), error.position))


async def record(dsn: str, findings: Findings) -> None:
    """Store the findings for the System screen."""
    async with await connect(dsn, autocommit=True) as connection:
        await connection.execute(_INSERT, (not findings.has_faults, "\n".join(findings.lines())))


async def _found(
    connection: AsyncConnection,
    seals: SealedLog,
    key: VerifyingKey,
    scope: Scope,
    kept: Sequence[Checkpoint],
    *,
    report: Report,
) -> Findings:
    reported, away = await ask_all(scope.witnesses, key)
    faults = [f"the witness {name} does not answer: {why}" for name, why in away.items()]
    origin, former = await origin_of(connection), await former_origins(connection)
    verification = Verification(seals, key, origin=origin, former=former, kept=kept)
    # One snapshot of log, tables and positions, taken after the seals were read.
    await connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
    async with connection.transaction():
        tables = None
        if not scope.log_only:
            tables = await ReadTablesCheck.begin(connection, publishing=scope.publishing)
        head, verified = await read_head(connection), 0
        async with aclosing(all_rows(connection)) as stretches:
            async for rows in stretches:
                verification.add(rows)
                verified += len(rows)
                report(verified, max(head, verified))
                if verification.fault is not None:
                    break
                if tables is not None:
                    await tables.add(rows)
        checkpoints = verification.checkpoints
        findings = Findings(verification.verdict(), checkpoints[-1] if checkpoints else None)
        if findings.verdict.fault is not None:
            return findings
        findings.faults = faults
        findings.tables = [] if tables is None else await tables.finish()
        known = {note_digest(seals.note(one.size)): one for one in checkpoints}
        remembered = trusted(await all_notes(connection), key, faults, known)
        faults += filter(None, [disagreement(seals, key, checkpoints, remembered)])
        faults += [
            f"the witness {name} has a checkpoint of position {one.size} that the seals do not have"
            for name, one in reported
            if not accounts_for(seals, key, findings.last, one)
        ]
        of_folder = {one.of_log for one in checkpoints}
        held = [one for one in (*remembered, *kept) if one.of_log in of_folder or seals.has(one, key)]
        await _check_accesses(connection, [*checkpoints, *held], findings)
        await _check_stamps(connection, seals, key, scope.authorities, findings)
    return findings


async def _await_sealing(connection: AsyncConnection, seals: SealedLog) -> None:
    """Wait while a checkpoint is written to the folder and the database, and then its hashes."""
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
    check = AccessCheck(points, {one.accesses.number for one in checkpoints if is_forgettable(one)})
    if len(points) < len(ends):
        check.fault = "checkpoints contradict each other"
    async with aclosing(all_accesses(connection)) as stretches:
        async for rows in stretches:
            for row in rows:
                check.add(row)
    check.finish()
    findings.access_fault = check.fault
    findings.accesses = max(points, default=0), check.number


async def _check_stamps(
    connection: AsyncConnection,
    seals: SealedLog,
    key: VerifyingKey,
    authorities: Sequence[Certificate],
    findings: Findings,
) -> None:
    """Check the time stamps in folder and database, each once."""
    checked: dict[tuple[bytes, bytes], datetime | None] = {}

    async def check(note: str, name: str, response: bytes) -> None:
        if (digest := (note_digest(note), sha256(response).digest())) in checked:
            return
        checked[digest] = None
        if not authorities:
            return
        try:
            checkpoint = Checkpoint.from_note(note, key)
            checked[digest] = await asyncio.to_thread(check_time_stamp, response, checkpoint, authorities)
            if not accounts_for(seals, key, findings.last, checkpoint):
                findings.stamp_faults.append(f"{name}: the seals do not have the checkpoint")
        except (BadCheckpoint, BadTimeStamp) as error:
            findings.stamp_faults.append(f"{name}: {error}")

    for stored in seals.time_stamps():
        await check(*stored)
    async with aclosing(all_time_stamps(connection)) as stamps:
        async for note, authority, response in stamps:
            size = Checkpoint.from_unverified_note(note).size
            await check(note, f"of position {size} by {authority}", response)
    moments = [moment for moment in checked.values() if moment is not None]
    if moments:
        findings.stamps.append(
            f"{len(moments)} time stamps match, the last of {max(moments):%Y-%m-%d %H:%M:%SZ}"
        )
    elif checked and not authorities:
        findings.stamps.append(
            f"{len(checked)} time stamps were not verified: FLEETLOG_TIME_STAMP_CERTIFICATES is not set"
        )


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
        yield f"{name}: {verdict.quarantined} streams are quarantined, and were verified up to that event"
    if verdict.unverified is not None:
        yield f"THE TABLE {name} WAS NOT VERIFIED: {verdict.unverified}"
    elif verdict.differences:
        more = ", …" if verdict.differences > len(verdict.examples) else ""
        yield (
            f"THE TABLE {name} DOES NOT MATCH THE LOG: {verdict.differences} rows differ:"
            f" {', '.join(verdict.examples)}{more}"
        )
