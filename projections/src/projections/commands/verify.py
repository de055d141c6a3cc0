"""`projections verify`: the log, the access log and what people look at, against what was sealed."""

import asyncio
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
from psycopg import AsyncConnection, IsolationLevel

from command_api.domain.public import NOTHING_MORE, Publishing
from ops.base.database import connect
from ops.base.tamper_evidence.accesses import AccessCheck
from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.base.tamper_evidence.leaves import LogRow
from ops.base.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.base.tamper_evidence.signed_notes import SigningKey, VerifyingKey
from ops.base.tamper_evidence.verification import Verdict, Verification
from projections.checking.places import Sealed, disagreement, trusted
from projections.checking.read_tables import ReadTablesCheck, TableVerdict
from projections.failures import ProjectionStopped
from projections.sealing.forgetting import forgettable
from projections.sealing.remembering import all_accesses, all_notes, last_note
from projections.sealing.rows import all_rows, former_origins, origin_of
from projections.sealing.witnesses import Witness, ask_all

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
    publishing: Publishing = NOTHING_MORE
    """What public events show besides what is declared public."""


@dataclass
class _Findings:
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
        """Whether everything does."""
        return (
            self.verdict.fault is None
            and self.verdict.sealed > 0
            and not self.faults
            and self.access_fault is None
            and all(table.fits for table in self.tables)
        )


_NOTHING: Final = Wanted()


async def verify(dsn: str, seals: SealedLog, key: SigningKey, wanted: Wanted = _NOTHING) -> int:
    """Recompute everything that is sealed, and what people look at, and say what does not fit.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they must be signed with.
        wanted: what else to look at.
    """
    kept = [_kept(path, key.verifying_key) for path in wanted.kept]
    async with await connect(dsn, autocommit=True) as connection:
        try:
            await _await_sealing(connection, seals)
            findings = await _found(connection, seals, key.verifying_key, wanted, kept)
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            raise ProjectionStopped(f"the log's table cannot be read: {type(error).__name__}") from None
        except BadSeals as error:
            findings = _Findings(Verdict(0, None, str(error), error.position))
    _tell(findings)
    return 0 if findings.fits else 1


async def _found(
    connection: AsyncConnection,
    seals: SealedLog,
    key: VerifyingKey,
    wanted: Wanted,
    kept: Sequence[Checkpoint],
) -> _Findings:
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
        async with aclosing(all_rows(connection)) as stretches:
            async for rows in stretches:
                verification.take(rows)
                if verification.found_fault:
                    break
                if tables is not None:
                    await _judge(tables, rows)
        checkpoints = verification.checkpoints
        findings = _Findings(verification.verdict(), checkpoints[-1] if checkpoints else None)
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
    seals.await_hashes(seconds=PATIENCE_SECONDS)


async def _check_accesses(
    connection: AsyncConnection, checkpoints: Iterable[Checkpoint], findings: _Findings
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
                check.take(row)
    check.finish()
    findings.access_fault = check.fault
    findings.accesses = max(points, default=0), check.number


def _kept(path: Path, key: VerifyingKey) -> Checkpoint:
    try:
        return Checkpoint.opened(path.read_bytes().decode(), key)
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectionStopped(f"the checkpoint {path} cannot be read: {type(error).__name__}") from None
    except BadCheckpoint as error:
        raise ProjectionStopped(f"the checkpoint {path} is not this instance's: {error}") from None


def _tell(findings: _Findings) -> None:
    verdict = findings.verdict
    if verdict.fault is not None:
        where = "" if verdict.position is None else f" at position {verdict.position}"
        print(f"THE LOG IS NOT WHAT WAS SEALED: {verdict.fault}{where}")
    elif not verdict.sealed:
        sys.stderr.write(f"Nothing has been sealed yet; the log has {verdict.events} events\n")
    else:
        _tell_sealed(findings)
    for beginning in findings.last.beginnings if findings.last else ():
        print(beginning)
    for fault in findings.faults:
        print(f"THE PLACES THAT REMEMBER CHECKPOINTS DO NOT AGREE: {fault}")
    if findings.access_fault is not None:
        print(f"THE ACCESS LOG IS NOT WHAT WAS SEALED: {findings.access_fault}")
    for table in findings.tables:
        _tell_table(table)


def _tell_sealed(findings: _Findings) -> None:
    verdict, (sealed, accesses) = findings.verdict, findings.accesses
    reported = f"{verdict.sealed} of {verdict.events} events are what was sealed"
    if verdict.unsealed_since is not None:
        since = verdict.unsealed_since.isoformat(sep=" ", timespec="seconds")
        reported += f"; nothing vouches yet for those after position {verdict.sealed}, the first of {since}"
    print(reported)
    if accesses and findings.access_fault is None:
        print(f"The access log is what was sealed up to access {sealed} of {accesses}")
    names = ", ".join(f"{table.table.name} up to {table.position}" for table in findings.tables if table.fits)
    if names:
        print(f"Read tables are what the log adds up to: {names}")


def _tell_table(verdict: TableVerdict) -> None:
    name = f"read.{verdict.table.name}"
    if verdict.quarantined:
        print(f"{name}: {verdict.quarantined} streams are set aside, and were judged up to there")
    if verdict.unjudged is not None:
        print(f"THE TABLE {name} WAS NOT JUDGED: {verdict.unjudged}")
    elif verdict.differences:
        more = ", …" if verdict.differences > len(verdict.examples) else ""
        print(
            f"THE TABLE {name} IS NOT WHAT THE LOG ADDS UP TO: {verdict.differences} rows differ:"
            f" {', '.join(verdict.examples)}{more}"
        )
