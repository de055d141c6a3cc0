"""`projections verify` and `projections export`: the log against its seals, and a history to take away."""

import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import psycopg
from psycopg import AsyncConnection

from ops.base.database import connect
from ops.base.entities import ENTITY_TYPES
from ops.base.tamper_evidence.bundles import BadBundle, check_bundle, make_bundle
from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.base.tamper_evidence.leaves import LogRow
from ops.base.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.base.tamper_evidence.signed_notes import SigningKey, VerifyingKey
from ops.base.tamper_evidence.verification import Verdict, Verification
from projections.failures import ProjectionStopped
from projections.sealing.rows import all_rows, former_origins, origin_of, rows_of_stream

_HASHES_SECONDS = 2.0
"""Patience for the hashes of a checkpoint that is being written."""


async def verify(dsn: str, seals: SealedLog, key: SigningKey, kept: Sequence[Path] = ()) -> int:
    """Recompute the whole log's hashes and hold them against its seals.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they must be signed with.
        kept: files with checkpoints that were kept elsewhere.
    """
    verdict = await _verdict(dsn, seals, key.verifying_key, kept)
    if verdict.fault is not None:
        where = "" if verdict.position is None else f" at position {verdict.position}"
        print(f"THE LOG IS NOT WHAT WAS SEALED: {verdict.fault}{where}")
        return 1
    if not verdict.sealed:
        sys.stderr.write(f"Nothing has been sealed yet; the log has {verdict.events} events\n")
        return 1
    told = f"{verdict.sealed} of {verdict.events} events are what was sealed"
    if verdict.unsealed_since is not None:
        since = verdict.unsealed_since.isoformat(sep=" ", timespec="seconds")
        told += f"; nothing vouches yet for those after position {verdict.sealed}, the first of {since}"
    print(told)
    return 0


async def _verdict(dsn: str, seals: SealedLog, key: VerifyingKey, kept: Sequence[Path]) -> Verdict:
    checkpoints = [_kept(path, key) for path in kept]
    async with await connect(dsn, autocommit=True) as connection:
        try:
            seals.await_hashes(seconds=_HASHES_SECONDS)
            origin = await origin_of(connection)
            former = await former_origins(connection)
            verification = Verification(seals, key, origin=origin, former=former, kept=checkpoints)
            async with aclosing(all_rows(connection)) as stretches:
                async for rows in stretches:
                    verification.take(rows)
                    if verification.found_fault:
                        break
            return verification.verdict()
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            raise ProjectionStopped(f"the log's table cannot be read: {type(error).__name__}") from None
        except BadSeals as error:
            return Verdict(0, None, str(error), error.position)


def _kept(path: Path, key: VerifyingKey) -> Checkpoint:
    try:
        return Checkpoint.opened(path.read_bytes().decode(), key)
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectionStopped(f"the checkpoint {path} cannot be read: {type(error).__name__}") from None
    except BadCheckpoint as error:
        raise ProjectionStopped(f"the checkpoint {path} is not this instance's: {error}") from None


async def export(dsn: str, seals: SealedLog, key: SigningKey, name: str) -> int:
    """Print a bundle with one entity's history.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they are signed with.
        name: the entity's id, or its type and id: `driver:EMP-001`.
    """
    try:
        seals.await_hashes(seconds=_HASHES_SECONDS)
        checkpoint = seals.latest(key.verifying_key)
    except BadSeals as error:
        raise ProjectionStopped(f"{error}; audit verify tells more") from None
    if checkpoint is None:
        raise ProjectionStopped("nothing has been sealed yet")
    if seals.hashed < checkpoint.size:
        raise ProjectionStopped(f"the hashes end before position {checkpoint.size}; audit verify tells more")
    async with await connect(dsn, autocommit=True) as connection:
        rows = await _history(connection, name, up_to=checkpoint.size)
        unsealed = await _count_unsealed(connection, rows[0].originator_id, checkpoint.size)
    bundle = make_bundle(rows, seals.hashes(up_to=checkpoint.size), checkpoint, key)
    try:
        check_bundle(bundle, key.verifying_key)
    except BadBundle as error:
        raise ProjectionStopped(f"{error}; audit verify tells more") from None
    print(bundle)
    sys.stderr.write(f"{len(rows)} events of {rows[0].originator_id}, {unsealed} more are not sealed yet\n")
    return 0


async def _history(connection: AsyncConnection, name: str, *, up_to: int) -> list[LogRow]:
    streams = [name] if ":" in name else [f"{entity.name}:{name}" for entity in ENTITY_TYPES]
    found = {
        stream: rows for stream in streams if (rows := await rows_of_stream(connection, stream, up_to=up_to))
    }
    if not found:
        raise ProjectionStopped(f"nothing of {name!r} has been sealed")
    if len(found) > 1:
        raise ProjectionStopped(f"say which one: {', '.join(found)}")
    return next(iter(found.values()))


async def _count_unsealed(connection: AsyncConnection, stream: str, sealed: int) -> int:
    cursor = await connection.execute(
        "SELECT count(*) FROM log.events WHERE originator_id = %s AND notification_id > %s", (stream, sealed)
    )
    ((count,),) = await cursor.fetchall()
    return int(count)
