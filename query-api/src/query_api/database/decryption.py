"""Decryption of rows and revisions."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from psycopg import sql

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_row, decrypt_texts, row_context
from ops.base.http.consistency import LogPosition
from ops.base.http.problems import unavailable
from query_api.database.source import Source, fetch
from read_model.tables import EntityTable, list_item_in
from read_model.tables.revision_texts import RevisionTexts

IN_THREAD_FROM_BYTES: Final = 128 * 1024
"""Decrypting more takes milliseconds, during which other requests should be served."""

T = TypeVar("T")


class EncryptedRevision(NamedTuple):
    """A revision's ciphertext and the key to decrypt it with."""

    stream: str
    version: int
    key_id: str | None
    """None: the revision is not encrypted, or must not be decrypted."""
    ciphertext: bytes | None


async def decrypt_revisions(
    revisions: Sequence[EncryptedRevision],
    use: Callable[[Sequence[RevisionTexts | None]], T],
    *,
    plaintext_bytes: int = 0,
) -> T:
    """Decrypt revisions and return `use(texts)`, computed in a thread if there is much to read.

    Args:
        use: receives the texts of each revision; None where it is not encrypted or its key was destroyed.
        plaintext_bytes: the size of further texts that `use` reads.

    Raises:
        KeysUnavailable: the keys cannot be loaded now.
        DecryptionError: a ciphertext was changed.
    """
    ids = {one.key_id for one in revisions if one.key_id is not None}
    await KEYS.load(ids)
    keys = {key_id: KEYS.get(key_id) for key_id in ids}  # all at once, before the cache drops some

    def decrypt(one: EncryptedRevision) -> RevisionTexts | None:
        key = None if one.key_id is None else keys[one.key_id]
        if key is None or one.ciphertext is None:
            return None
        return RevisionTexts.opened(key, one.stream, one.version, one.ciphertext)

    def run() -> T:
        return use([decrypt(one) for one in revisions])

    size = plaintext_bytes + sum(len(one.ciphertext) for one in revisions if one.ciphertext is not None)
    return run() if size < IN_THREAD_FROM_BYTES else await asyncio.to_thread(run)


SEARCH_INCOMPLETE: Final = (
    "The search index is being rebuilt. Lists can be read; please try again in a moment."
)
DECRYPT_IN_THREAD_FROM: Final = 1000
"""Decrypting more rows takes milliseconds, during which other requests should be served."""

# Restricted rows are stored masked.
_IS_ENCRYPTED: Final = sql.SQL("(ciphertext IS NOT NULL AND NOT restricted AND key_id <> ALL (%(without)s))")
_NULL: Final = sql.SQL("NULL")
# An array: the summary; one line per row with its key's id, version and id, empty if it is not encrypted;
# then the rows.
_ROWS: Final = sql.SQL(
    """
    SELECT CASE
      WHEN bytes > {most} THEN {too_long}
      ELSE (
        SELECT ARRAY[
          convert_to(({summary})::text, 'UTF8'),
          convert_to(
            string_agg(
              CASE WHEN {encrypted} THEN concat_ws(' ', key_id, version, id) ELSE '' END,
              E'\\n' ORDER BY {order}
            ),
            'UTF8'
          )
        ] || array_agg(
          CASE WHEN {encrypted} THEN ciphertext ELSE convert_to(list_item::text, 'UTF8') END ORDER BY {order}
        )
        FROM {rows}
      )
    END
    FROM (
      SELECT coalesce(sum(coalesce(octet_length(ciphertext), read.json_bytes(list_item))), 0) AS bytes
      FROM {rows}
    ) AS measured
    """
)


def rows_sql(
    rows: sql.Composable,
    order: sql.Composable,
    summary: sql.Composable,
    *,
    most: int,
    too_long: sql.Composable = _NULL,
) -> sql.Composable:
    """Return the scalar subquery that reads rows for `fetch_list`.

    Args:
        rows: a FROM item over an entity table.
        summary: SQL of a value about all rows.
        too_long: SQL of an array with one element, read instead of rows that exceed `most`.
    """
    return sql.SQL("({})").format(
        _ROWS.format(
            most=sql.Literal(most),
            summary=summary,
            encrypted=_IS_ENCRYPTED,
            order=order,
            rows=rows,
            too_long=too_long,
        )
    )


class ListRows(NamedTuple):
    """The result of a statement made with `LIST` and `rows_sql`."""

    etag: str
    stale: bool
    position: LogPosition
    """The position up to which the list is complete."""
    summary: bytes | None = None
    """None: the client has the list, or the rows are too long."""
    items: bytes = b""
    """List items as JSON, separated by commas."""
    too_long: bytes | None = None
    """The value of `too_long` in `rows_sql`, if the rows exceed the limit."""


async def fetch_list(
    source: Source, table: EntityTable, statement: bytes, parameters: dict[str, Any], *, prepare: bool | None
) -> ListRows:
    """Fetch rows of a list as of one moment, decrypted.

    If the key of a row was destroyed, a second statement reads the row without personal data.

    Raises:
        Problem: 503, the search index is incomplete.
        KeysUnavailable: the keys cannot be loaded now.
        DecryptionError: a ciphertext was changed.
    """
    without: set[str] = set()
    while True:
        parameters = {**parameters, "without": list(without)}
        ((etag, stale, is_complete, position, found),) = await fetch(
            source, statement, parameters, prepare=prepare
        )
        if not is_complete:
            raise unavailable(SEARCH_INCOMPLETE)
        rows = ListRows(etag, stale, position_of(etag, position))
        if found is None:
            return rows
        summary, *rest = found
        if not rest:
            return rows._replace(too_long=summary)
        lines, *items = rest
        encrypted = [line.split(" ") for line in lines.decode().split("\n")] if items else []
        ids = {key_id for key_id, *_ in encrypted if key_id}
        await KEYS.load(ids)
        keys = {key_id: key for key_id in ids if (key := KEYS.get(key_id)) is not None}
        if len(keys) == len(ids):
            decrypt = partial(_decrypt_items, table, encrypted, items, keys)
            is_short = len(items) < DECRYPT_IN_THREAD_FROM
            decrypted = decrypt() if is_short else await asyncio.to_thread(decrypt)
            return rows._replace(summary=summary, items=decrypted)
        without |= ids - keys.keys()


def _decrypt_items(
    table: EntityTable, encrypted: Sequence[Sequence[str]], items: Sequence[bytes], keys: Mapping[str, Key]
) -> bytes:
    decrypted = []
    for (key_id, *where), item in zip(encrypted, items, strict=True):
        if key_id:
            version, entity_id = where
            context = row_context(table.encrypted_as, f"{table.entity.name}:{entity_id}", int(version))
            decrypted.append(list_item_in(decrypt_texts(keys[key_id], context, item)))
        else:
            decrypted.append(item)
    return b",".join(decrypted)


def position_of(etag: str, position: int) -> LogPosition:
    """Return a position in the log that a list's entity tag names."""
    return LogPosition(etag[1:].partition("-")[0], position)


async def decrypt_record(
    table: EntityTable, entity_id: str, version: int, key_id: str | None, ciphertext: bytes | None
) -> bytes | None:
    """Return a row's decrypted record as JSON; None if it is not encrypted or its key was destroyed.

    Raises:
        KeysUnavailable: the key cannot be loaded now.
        DecryptionError: the ciphertext was changed.
    """
    await KEYS.load([] if key_id is None else [key_id])
    texts = decrypt_row(table.encrypted_as, f"{table.entity.name}:{entity_id}", version, key_id, ciphertext)
    return texts[0] if texts else None
