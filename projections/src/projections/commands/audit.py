"""`projections verify` and `projections export`: the log against its seals, and a history to take away."""

import sys

from psycopg import AsyncConnection

from ops.base.database import connect
from ops.base.entities import ENTITY_TYPES
from ops.base.tamper_evidence.bundles import make_bundle
from ops.base.tamper_evidence.checkpoints import SigningKey
from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.base.tamper_evidence.verification import Verification
from projections.log import read_head
from projections.sealing.rows import origin_of, rows_between, rows_of_stream


async def verify(dsn: str, seals: SealedLog, key: SigningKey) -> int:
    """Recompute the whole log's hashes and hold them against its seals.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they must be signed with.
    """
    async with await connect(dsn, autocommit=True) as connection:
        verification = Verification(seals, key.verifying_key, origin=await origin_of(connection))
        async for rows in rows_between(connection, after=0, up_to=await read_head(connection)):
            verification.take(rows)
    verdict = verification.verdict()
    if verdict.fault is not None:
        where = "" if verdict.position is None else f" at position {verdict.position}"
        print(f"THE LOG IS NOT WHAT WAS SEALED: {verdict.fault}{where}")
        return 1
    print(
        f"{verdict.sealed} of {verdict.events} events are what was sealed; the rest waits for its checkpoint"
    )
    return 0


async def export(dsn: str, seals: SealedLog, name: str) -> int:
    """Print a bundle with one entity's history.

    Args:
        dsn: where to connect.
        seals: the log's.
        name: the entity's id, or its type and id: `driver:EMP-001`.
    """
    note = seals.latest_note()
    if note is None:
        sys.stderr.write("Nothing has been sealed yet\n")
        return 1
    sealed = int(note.splitlines()[1])
    async with await connect(dsn, autocommit=True) as connection:
        histories = [
            rows
            for stream in _streams(name)
            if (rows := await rows_of_stream(connection, stream, up_to=sealed))
        ]
        unsealed = await _count_unsealed(connection, [rows[0].originator_id for rows in histories], sealed)
    if len(histories) != 1:
        found = ", ".join(rows[0].originator_id for rows in histories)
        reason = f"there are several of this id: {found}" if found else "nothing of this id has been sealed"
        sys.stderr.write(f"Not possible: {reason}\n")
        return 1
    (rows,) = histories
    print(make_bundle(rows, seals.hashes(last=sealed), note))
    sys.stderr.write(f"{len(rows)} events of {rows[0].originator_id}, {unsealed} more are not sealed yet\n")
    return 0


def _streams(name: str) -> list[str]:
    return [name] if ":" in name else [f"{entity.name}:{name}" for entity in ENTITY_TYPES]


async def _count_unsealed(connection: AsyncConnection, streams: list[str], sealed: int) -> int:
    cursor = await connection.execute(
        "SELECT count(*) FROM log.events WHERE originator_id = ANY(%s) AND notification_id > %s",
        (streams, sealed),
    )
    ((count,),) = await cursor.fetchall()
    return int(count)
