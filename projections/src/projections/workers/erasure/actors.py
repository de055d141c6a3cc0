"""What is erased of somebody who acted: what they are called, which is in the directory alone."""

from collections.abc import Sequence
from typing import Final

from psycopg import AsyncConnection, sql

from ops.base.encryption.actors import decrypt_names
from ops.base.encryption.key_cache import KEYS
from projections.tables import ENTITY_TABLES
from projections.workers.erasure.erasures import Erasure
from projections.workers.erasure.registrations import HAS, SHORTEST, Life, looked_for

_ROW: Final = "SELECT key_id, box FROM log.actors WHERE sub = %s"
_FORGET: Final = "SELECT log.forget_actor(%s)"
# A driver may be called the same: what is found then tells of them.
_IN_SEARCH: Final = sql.SQL("NOT EXISTS (SELECT FROM {} WHERE {})")
_TELLING: Final = sql.SQL(
    """
    SELECT text
    FROM unnest(%(texts)s::text[], %(folded)s::text[], %(keys)s::text[]) AS looked_for (text, folded, key)
    WHERE {}
    """
).format(sql.SQL(" AND ").join(_IN_SEARCH.format(table.search.identifier, HAS) for table in ENTITY_TABLES))


async def take_names(connection: AsyncConnection, erasure: Erasure, life: Life) -> None:
    """Take what somebody was called, and its key, beside the events that were about them.

    Raises:
        KeysUnavailable: it cannot be opened now.
    """
    sub = erasure.place.entity_id
    for key_id, box in await (await connection.execute(_ROW, (sub,))).fetchall():
        await KEYS.load([key_id])
        life.take_key(key_id, KEYS.get(key_id))
        names = {name for name, _ in decrypt_names(key_id, sub, box)}
        life.names |= names
        life.texts |= {name for name in names if len(name) >= SHORTEST}


async def telling_of_no_record(connection: AsyncConnection, texts: Sequence[str]) -> frozenset[str]:
    """Return which names no record has.

    Args:
        connection: any.
        texts: the names.
    """
    cursor = await connection.execute(_TELLING, looked_for(texts))
    return frozenset(text for (text,) in await cursor.fetchall())


async def forget(connection: AsyncConnection, erasures: Sequence[Erasure]) -> None:
    """Empty the rows of who was erased, for ever."""
    for erasure in erasures:
        await connection.execute(_FORGET, (erasure.place.entity_id,))
