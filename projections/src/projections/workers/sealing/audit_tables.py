"""The tables of checkpoints and accesses; the sealer may add checkpoints, but change none."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from datetime import datetime
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import args_row

from ops.tamper_evidence.accesses import NO_ACCESSES, AccessHead, AccessRow
from ops.tamper_evidence.sealed_log import BLOCK, SealedLog
from ops.tamper_evidence.signed_notes import AUDIT_FILE, SigningKey

_NOTES_AT_ONCE: Final = 1000
_ACCESSES_AT_ONCE: Final = 100
"""A single row may contain hundreds of views."""
_LAST: Final = "SELECT note FROM audit.checkpoints ORDER BY number DESC LIMIT 1"
_ALL: Final = "SELECT note FROM audit.checkpoints ORDER BY number"
_ADD: Final = "INSERT INTO audit.checkpoints (size, note) VALUES (%s, %s)"
_ADD_BLOCK: Final = "INSERT INTO audit.subtrees (number, root) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_MISSING_BLOCKS: Final = """
SELECT number FROM generate_series(0, %s - 1) AS number
WHERE NOT EXISTS (SELECT FROM audit.subtrees WHERE subtrees.number = number.number) ORDER BY number LIMIT %s
"""
_BLOCKS_AT_ONCE: Final = 100
_UNSIGNED: Final = """
WITH expired AS (DELETE FROM audit.signatures WHERE requested < clock_timestamp() - interval '1 hour')
SELECT id, text FROM audit.signatures WHERE note IS NULL AND starts_with(text, %s)
"""
_SIGN: Final = "UPDATE audit.signatures SET note = %s WHERE id = %s"
# The time of the last stamped checkpoint counts, because an authority's clock may be wrong.
_TO_STAMP: Final = """
SELECT number FROM audit.checkpoints
WHERE note = %s AND NOT EXISTS (
  SELECT FROM (
    SELECT checkpoint FROM audit.time_stamps WHERE authority = %s ORDER BY checkpoint DESC LIMIT 1
  ) AS last JOIN audit.checkpoints AS stamped ON stamped.number = last.checkpoint
  WHERE stamped.number = checkpoints.number OR stamped.recorded > clock_timestamp() - interval '1 hour'
)
ORDER BY number DESC LIMIT 1
"""
_ADD_STAMP: Final = """
INSERT INTO audit.time_stamps (checkpoint, authority, response, moment) VALUES (%s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_STAMPS: Final = """
SELECT note, authority, response FROM audit.time_stamps JOIN audit.checkpoints ON number = checkpoint
ORDER BY number, authority
"""
_AFTER: Final = """
SELECT note FROM audit.checkpoints
WHERE number > coalesce((SELECT max(number) FROM audit.checkpoints WHERE note = %s), 0)
ORDER BY number LIMIT %s
"""
_ACCESS_HEAD: Final = "SELECT number, hash FROM audit.accesses ORDER BY number DESC LIMIT 1"
_ACCESSES: Final = """
SELECT number, access_id, CASE WHEN moment BETWEEN '0002-01-01' AND '9998-12-31' THEN moment END,
  actor_sub, actor_name, request_id, action, details::text, hash
FROM audit.accesses ORDER BY number
"""


async def last_note(connection: AsyncConnection) -> str | None:
    """Return the note of the last checkpoint."""
    row = await (await connection.execute(_LAST)).fetchone()
    return str(row[0]) if row else None


async def all_notes(connection: AsyncConnection) -> list[str]:
    """Return the notes of all checkpoints, in the order of signing."""
    return [note for (note,) in await (await connection.execute(_ALL)).fetchall()]


async def notes_after(connection: AsyncConnection, note: str | None) -> list[str]:
    """Return the notes that follow a note, or the first ones; at most a thousand."""
    cursor = await connection.execute(_AFTER, (note, _NOTES_AT_ONCE))
    return [note for (note,) in await cursor.fetchall()]


async def add_checkpoints(connection: AsyncConnection, notes: Sequence[tuple[int, str]]) -> None:
    """Add checkpoints, by size and note, with the sealer's rights."""
    async with connection.transaction(), connection.cursor() as cursor:
        await cursor.executemany(_ADD, notes)


async def add_sealed(
    connection: AsyncConnection, seals: SealedLog, size: int, note: str, *, blocks: Iterable[int]
) -> None:
    """Add a checkpoint, and the roots of blocks that it completes, in one transaction."""
    roots = await asyncio.to_thread(_roots, seals, blocks)
    async with connection.transaction(), connection.cursor() as cursor:
        await cursor.execute(_ADD, (size, note))
        await cursor.executemany(_ADD_BLOCK, roots)


async def add_missing_blocks(connection: AsyncConnection, seals: SealedLog, size: int) -> None:
    """Add the roots of full blocks that the database lacks, up to a checkpoint."""
    while True:
        cursor = await connection.execute(_MISSING_BLOCKS, (size // BLOCK, _BLOCKS_AT_ONCE))
        missing = [number for (number,) in await cursor.fetchall()]
        if not missing:
            return
        roots = await asyncio.to_thread(_roots, seals, missing)
        async with connection.transaction(), connection.cursor() as cursor:
            await cursor.executemany(_ADD_BLOCK, roots)


async def sign_manifests(connection: AsyncConnection, key: SigningKey) -> None:
    """Sign the manifests that await it, and delete those that are an hour old."""
    for id_, text in await (await connection.execute(_UNSIGNED, (f"{AUDIT_FILE}\n",))).fetchall():
        await connection.execute(_SIGN, (key.sign(text), id_))


async def checkpoint_to_stamp(connection: AsyncConnection, note: str, authority: str) -> int | None:
    """Return a checkpoint's number if it is due to be stamped: an hour after the last stamped one."""
    row = await (await connection.execute(_TO_STAMP, (note, authority))).fetchone()
    return int(row[0]) if row else None


async def add_time_stamp(
    connection: AsyncConnection, number: int, authority: str, response: bytes, moment: datetime
) -> None:
    """Add a time stamp of a checkpoint."""
    await connection.execute(_ADD_STAMP, (number, authority, response, moment))


async def all_time_stamps(connection: AsyncConnection) -> AsyncGenerator[tuple[str, str, bytes], None]:
    """Yield note, authority and response of all time stamps, in a transaction of the caller's."""
    async with connection.cursor("all_time_stamps") as cursor:
        await cursor.execute(_STAMPS, binary=True)
        async for note, authority, response in cursor:
            yield note, authority, bytes(response)


def _roots(seals: SealedLog, blocks: Iterable[int]) -> list[tuple[int, bytes]]:
    return [(number, seals.block_root(number)) for number in blocks]


async def forget_blocks(connection: AsyncConnection) -> None:
    """Delete all roots of blocks, which may be those of another history; sealing adds them again."""
    await connection.execute("DELETE FROM audit.subtrees")


async def access_head(connection: AsyncConnection) -> AccessHead:
    """Return the end of the access log."""
    row = await (await connection.execute(_ACCESS_HEAD)).fetchone()
    return AccessHead(int(row[0]), bytes(row[1])) if row else NO_ACCESSES


async def has_access(connection: AsyncConnection, head: AccessHead) -> bool:
    """Return whether the access log contains the row of a former end."""
    cursor = await connection.execute("SELECT hash FROM audit.accesses WHERE number = %s", (head.number,))
    return head == NO_ACCESSES or await cursor.fetchone() == (head.hash,)


async def all_accesses(connection: AsyncConnection) -> AsyncGenerator[Sequence[AccessRow], None]:
    """Yield all rows of the access log, a hundred at a time, in a transaction of the caller's."""
    async with connection.cursor("all_accesses", row_factory=args_row(AccessRow)) as cursor:
        await cursor.execute(_ACCESSES, binary=True)
        while rows := await cursor.fetchmany(_ACCESSES_AT_ONCE):
            yield rows
