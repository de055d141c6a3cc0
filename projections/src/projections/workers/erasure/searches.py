"""Encrypted searches in the access log; a search for an erased person is erased as well."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from psycopg import AsyncConnection

from ops.base.encryption.keys import DecryptionError
from ops.base.encryption.searches import decrypt_search, load_search_keys, search_key_id
from projections.workers.erasure.traces import Traces

_AT_ONCE: Final = 500
# The query API records searches in batches of views, or in rows of other actions.
_SEARCHES: Final = """
SELECT request, search FROM (
  SELECT number, view ->> 4 AS request, view -> -1 AS search
  FROM audit.accesses CROSS JOIN LATERAL json_array_elements(details -> 'views') AS views (view)
  WHERE action = 'views'
  UNION ALL
  SELECT number, request_id, details -> 'search' FROM audit.accesses WHERE action <> 'views'
) AS searches
WHERE number > %s AND json_typeof(search) = 'object'
"""

T = TypeVar("T")


async def keys_of_searches(
    connection: AsyncConnection, wanted: Mapping[T, Traces | None], *, after: int = 0
) -> dict[T, list[str]]:
    """Return the keys of the minutes in which users searched for people.

    Args:
        connection: with the sealer's rights.
        wanted: what identifies each person; None if unknown, which matches every search.
        after: the number of an access; only later ones are examined.

    Raises:
        KeysUnavailable: keys cannot be loaded now.
    """
    found: dict[T, set[str]] = {who: set() for who in wanted}
    async with connection.transaction(), connection.cursor("searches") as cursor:
        await cursor.execute(_SEARCHES, (after,))
        while rows := await cursor.fetchmany(_AT_ONCE):
            await load_search_keys(search for _, search in rows)
            for request, search in rows:
                lines = _decrypt(search, request).split("\n")
                for who, one in wanted.items():
                    if one is None or any(map(one.match_search, lines)):
                        found[who].add(search_key_id(search))
    return {who: sorted(keys) for who, keys in found.items()}


def _decrypt(search: Mapping[str, Any], request: str) -> str:
    try:
        return decrypt_search(search, request) or ""
    except DecryptionError:
        return ""  # the row was changed, which verification reports
