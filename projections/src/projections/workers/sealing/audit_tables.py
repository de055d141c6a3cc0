"""The tables of checkpoints and accesses; the sealer may add checkpoints, but change none."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import args_row

from ops.tamper_evidence.accesses import NO_ACCESSES, AccessHead, AccessRow

_NOTES_AT_ONCE: Final = 1000
_ACCESSES_AT_ONCE: Final = 100
"""A single row may contain hundreds of views."""
_LAST: Final = "SELECT note FROM audit.checkpoints ORDER BY number DESC LIMIT 1"
_ALL: Final = "SELECT note FROM audit.checkpoints ORDER BY number"
_ADD: Final = "INSERT INTO audit.checkpoints (size, note) VALUES (%s, %s)"
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
