"""`projections verify`, `export` and `restart-sealing`."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from pydantic_core import from_json

from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.encryption.states import decrypt_state, key_id_of
from ops.base.records.entities import ENTITY_TYPES
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Subtrees
from ops.tamper_evidence.proof_checks import BadProof, check_proof
from ops.tamper_evidence.proofs import Bound, proof_lines
from ops.tamper_evidence.proofs import Scope as ProofScope
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections.failures import ProjectionStopped
from projections.workers.sealing import restart
from projections.workers.sealing.rows import last_events, rows_of_stream
from projections.workers.sealing.witnesses import Witness
from projections.workers.verification.verification import (
    EVERYTHING,
    PATIENCE_SECONDS,
    Scope,
    record,
    verify_log,
)

# Events up to the erasure are not decrypted, even if the worker has not destroyed the key yet.
_ERASED: Final = (
    "SELECT coalesce(max(originator_version), 0) FROM log.events"
    " WHERE originator_id = %s AND topic LIKE '%%.erased'"
)

_UNSEALED: Final = "SELECT count(*) FROM log.events WHERE originator_id = %s AND notification_id > %s"


async def verify(dsn: str, seals: SealedLog, key: SigningKey, scope: Scope = EVERYTHING) -> int:
    """Verify log and read tables, print the findings, and store them; return 1 if there are faults."""
    findings = await verify_log(dsn, seals, key, scope)
    print("\n".join(findings.lines()), file=sys.stdout if findings.is_anything_sealed else sys.stderr)
    try:
        await record(dsn, findings)
    except psycopg.Error as error:
        sys.stderr.write(f"The result could not be stored in the database: {type(error).__name__}\n")
    return 0 if findings.fits else 1


async def restart_sealing(
    dsn: str, seals: SealedLog, key: SigningKey, witnesses: Sequence[Witness], reason: str
) -> int:
    """Restart sealing after seals were lost or disagree; every later checkpoint states the reason."""
    async with await connect(dsn, autocommit=True) as connection:
        restarted = await restart.restart_sealing(connection, seals, key, witnesses, reason)
    print(f"Sealed up to {restarted.checkpoint.size}. Every checkpoint from now on states:")
    for one in restarted.checkpoint.restarts:
        print(one)
    print(f"The former seals are in {restarted.backup.name}, in the same folder")
    for name in restarted.away:
        print(f"The witness {name} did not answer: if it has a later checkpoint, sealing stops again")
    return 0


async def export(dsn: str, seals: SealedLog, key: SigningKey, name: str, *, opened: bool = False) -> int:
    """Print the proof of one entity's complete history.

    Args:
        name: the entity's id, or its type and id: `driver:EMP-001`.
        opened: also include the decrypted events, which no proof covers.
    """
    try:
        seals.await_hashes(seconds=PATIENCE_SECONDS)
        checkpoint = seals.latest(key.verifying_key)
    except BadSeals as error:
        raise ProjectionStopped(f"{error}; run audit verify") from None
    if checkpoint is None:
        raise ProjectionStopped("nothing has been sealed yet")
    if seals.hashed < checkpoint.size:
        raise ProjectionStopped(f"the hashes end before position {checkpoint.size}; run audit verify")
    async with await connect(dsn, autocommit=True) as connection:
        rows = await _history(connection, name, up_to=checkpoint.size)
        parameters = (rows[0].originator_id, checkpoint.size)
        ((unsealed,),) = await (await connection.execute(_UNSEALED, parameters)).fetchall()
        shown = await _opened(connection, rows) if opened else {}
        heads = await last_events(connection, up_to=checkpoint.size)
    end = Bound(seals.note(checkpoint.size), checkpoint.size, heads)
    hashes = Subtrees(seals.hashes(up_to=checkpoint.size))
    scope = ProofScope("stream", rows[0].originator_id)
    proof = list(proof_lines(scope, None, end, rows, hashes.root_between, opened=shown))
    try:
        check_proof(proof, key.verifying_key)
    except BadProof as error:
        raise ProjectionStopped(f"{error}; run audit verify") from None
    sys.stdout.buffer.writelines(proof)
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
        raise ProjectionStopped(f"several records have this id: specify {' or '.join(found)}")
    return next(iter(found.values()))


async def _opened(connection: AsyncConnection, rows: Sequence[LogRow]) -> dict[int, str]:
    """Return the decrypted events as JSON, by position; of erased ones only that they were erased."""
    cursor = await connection.execute(_ERASED, (rows[0].originator_id,))
    ((erased,),) = await cursor.fetchall()
    ids = {row.position: key_id for row in rows if (key_id := key_id_of(row.state)) is not None}
    await KEYS.verify()
    keys = await KEYS.store.fetch(set(ids.values()))
    return {
        row.position: json.dumps(_opened_one(row, keys, is_erased=row.originator_version <= erased))
        for row in rows
        if row.position in ids
    }


def _opened_one(row: LogRow, keys: Mapping[str, Key | None], *, is_erased: bool) -> dict[str, Any]:
    key_id = str(key_id_of(row.state))
    if is_erased or ((key := keys.get(key_id)) is None and key_id in keys):
        return {"event": None, "why": "erased"}
    if key is None:
        return {"event": None, "why": "the key store never had its key"}
    try:
        return {"event": from_json(decrypt_state(row.state, row.originator_id, row.originator_version, key))}
    except DecryptionError as error:
        return {"event": None, "why": str(error)}
