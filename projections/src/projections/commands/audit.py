"""`projections export` and `projections begin-anew`: a history to take away, and sealing that goes on."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg import AsyncConnection
from pydantic_core import from_json

from ops.base.database.pools import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.encryption.states import decrypt_state, key_id_of
from ops.base.records.entities import ENTITY_TYPES
from ops.tamper_evidence.bundles import BadBundle, check_bundle, make_bundle
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.sealed_log import BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections.failures import ProjectionStopped
from projections.workers.sealing import restart
from projections.workers.sealing.rows import rows_of_stream
from projections.workers.sealing.witnesses import Witness
from projections.workers.verification.verification import PATIENCE_SECONDS

# From then on nobody is shown anything, whether the worker has destroyed the key or not yet.
_ERASED: Final = (
    "SELECT coalesce(max(originator_version), 0) FROM log.events"
    " WHERE originator_id = %s AND topic LIKE '%%.erased'"
)


async def begin_anew(
    dsn: str, seals: SealedLog, key: SigningKey, witnesses: Sequence[Witness], reason: str
) -> int:
    """Let sealing go on where it cannot, with a trace for ever.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: what to sign with.
        witnesses: places that remember checkpoints.
        reason: why.
    """
    async with await connect(dsn, autocommit=True) as connection:
        begun = await restart.begin_anew(connection, seals, key, witnesses, reason)
    tell_begun(begun)
    return 0


def tell_begun(begun: restart.BegunAnew) -> None:
    """Print how sealing was begun anew."""
    print(f"Sealed up to {begun.checkpoint.size}. From now on every seal tells:")
    for one in begun.checkpoint.restarts:
        print(one)
    print(f"The seals that were there are beside them, in {begun.aside.name}")
    for name in begun.away:
        print(f"The witness {name} could not be asked: if it knows of later seals, sealing stops again")


async def export(dsn: str, seals: SealedLog, key: SigningKey, name: str, *, opened: bool = False) -> int:
    """Print a bundle with one entity's history.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they are signed with.
        name: the entity's id, or its type and id: `driver:EMP-001`.
        opened: show as well what is in its boxes, for people to read; nothing proves it.
    """
    try:
        seals.await_hashes(seconds=PATIENCE_SECONDS)
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
        shown = await _opened(connection, rows) if opened else None
    bundle = make_bundle(rows, seals.hashes(up_to=checkpoint.size), checkpoint, key, shown)
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


async def _opened(connection: AsyncConnection, rows: Sequence[LogRow]) -> list[dict[str, Any]]:
    """Return what is in the boxes of sealed events, and of what was erased only that it was."""
    cursor = await connection.execute(_ERASED, (rows[0].originator_id,))
    ((erased,),) = await cursor.fetchall()
    ids = {row.position: key_id for row in rows if (key_id := key_id_of(row.state)) is not None}
    await KEYS.verify()
    keys = await KEYS.store.fetch(set(ids.values()))
    return [
        {"position": row.position, **_opened_one(row, keys, is_erased=row.originator_version <= erased)}
        for row in rows
        if row.position in ids
    ]


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


async def _count_unsealed(connection: AsyncConnection, stream: str, sealed: int) -> int:
    cursor = await connection.execute(
        "SELECT count(*) FROM log.events WHERE originator_id = %s AND notification_id > %s", (stream, sealed)
    )
    ((count,),) = await cursor.fetchall()
    return int(count)
