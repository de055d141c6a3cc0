"""Rows and revisions, decrypted where their data is encrypted."""

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
from projections.tables import EntityTable
from projections.tables.boxes import list_item_in, record_in
from projections.tables.revision_texts import RevisionTexts
from query_api.reading.source import Source, fetch

ASIDE_FROM_BYTES: Final = 128 * 1024
"""Opening more takes milliseconds, which other requests need not wait for."""

T = TypeVar("T")


class Boxed(NamedTuple):
    """What tells of a revision whether it is sealed, and how it is opened."""

    stream: str
    version: int
    key_id: str | None
    """What it is sealed under; None: it is in the clear, or must not be opened."""
    box: bytes | None


async def opening(boxes: Sequence[Boxed], use: Callable[[Sequence[RevisionTexts | None]], T]) -> T:
    """Return what a function makes of what is in boxes, beside other requests if that takes long.

    Args:
        boxes: of revisions.
        use: is given what is in each; None where it is in the clear, or nobody has its key any more.

    Raises:
        KeysUnavailable: they cannot be opened now.
        DecryptionError: one was changed.
    """
    ids = {one.key_id for one in boxes if one.key_id is not None}
    await KEYS.load(ids)
    keys = {key_id: KEYS.get(key_id) for key_id in ids}  # at once, before some are forgotten

    def opened(one: Boxed) -> RevisionTexts | None:
        key = None if one.key_id is None else keys[one.key_id]
        if key is None or one.box is None:
            return None
        return RevisionTexts.opened(key, one.stream, one.version, one.box)

    def used() -> T:
        return use([opened(one) for one in boxes])

    size = sum(len(one.box) for one in boxes if one.box is not None)
    return used() if size < ASIDE_FROM_BYTES else await asyncio.to_thread(used)


NOT_WHOLE: Final = "The search is being built again. Lists can be read; please try again in a moment."
OPENED_ASIDE_FROM: Final = 1000
"""Opening more rows takes milliseconds, which other requests need not wait for."""

# What is restricted is masked as it stands there.
_IS_SEALED: Final = sql.SQL(
    "(box IS NOT NULL AND %(opens)s AND NOT restricted AND key_id <> ALL (%(without)s))"
)
_NULL: Final = sql.SQL("NULL")
# An array: what is told of the rows, then, by lines, what opens them, and the rows. Without the second, all
# rows are in the clear, and one text.
_CONTENTS: Final = sql.SQL(
    """
    SELECT CASE
      WHEN bytes > {most} THEN {too_long}
      WHEN is_sealed THEN (
        SELECT ARRAY[
          convert_to(({told})::text, 'UTF8'),
          convert_to(
            string_agg(
              CASE WHEN {sealed} THEN concat_ws(' ', key_id, version, id) ELSE '' END, E'\\n' ORDER BY {order}
            ),
            'UTF8'
          )
        ] || array_agg(
          CASE WHEN {sealed} THEN box ELSE convert_to(list_item::text, 'UTF8') END ORDER BY {order}
        )
        FROM {rows}
      )
      ELSE (
        SELECT ARRAY[
          convert_to(({told})::text, 'UTF8'),
          NULL,
          convert_to(coalesce(string_agg(list_item::text, ',' ORDER BY {order}), ''), 'UTF8')
        ]
        FROM {rows}
      )
    END
    FROM (
      SELECT
        coalesce(sum(coalesce(octet_length(box), read.json_bytes(list_item))), 0) AS bytes,
        coalesce(bool_or({sealed}), false) AS is_sealed
      FROM {rows}
    ) AS measured
    """
)


def contents(
    rows: sql.Composable,
    order: sql.Composable,
    told: sql.Composable,
    *,
    most: int,
    too_long: sql.Composable = _NULL,
) -> sql.Composable:
    """Return the scalar subquery that reads rows for `read_list`.

    Args:
        rows: of an entity table, as FROM has it.
        order: what they are ordered by.
        told: SQL of what is told of all of them.
        most: bytes.
        too_long: SQL of an array with one element, read instead of rows with more bytes.
    """
    answer = _CONTENTS.format(
        most=sql.Literal(most), told=told, sealed=_IS_SEALED, order=order, rows=rows, too_long=too_long
    )
    return sql.SQL("({})").format(answer)


class ListRead(NamedTuple):
    """What a statement made of `LIST` and `contents` has read."""

    etag: str
    stale: bool
    position: LogPosition
    """Up to which the list is complete."""
    told: bytes | None = None
    """What was read with the rows; None: the client has the list, or the rows are too long."""
    items: bytes = b""
    """The list items as JSON, with commas between."""
    too_long: bytes | None = None
    """What was read instead of rows that are too long; see `contents`."""


async def read_list(
    source: Source, table: EntityTable, statement: bytes, parameters: dict[str, Any], *, prepare: bool | None
) -> ListRead:
    """Read rows of a list as of one moment, decrypted.

    Of rows whose key was destroyed, only what is not personal is read: in a second statement.

    Args:
        source: where it is read.
        table: whose rows.
        statement: SQL.
        parameters: see `list_parameters`.
        prepare: see `fetch`.

    Raises:
        Problem: 503, the search terms are not complete.
        KeysUnavailable: what is encrypted cannot be decrypted now.
        DecryptionError: a ciphertext was changed.
    """
    without: set[str] = set()
    while True:
        parameters = {**parameters, "without": list(without)}
        ((etag, stale, is_whole, position, found),) = await fetch(
            source, statement, parameters, prepare=prepare
        )
        if not is_whole:
            raise unavailable(NOT_WHOLE)
        read = ListRead(etag, stale, position_in(etag, position))
        if found is None:
            return read
        told, *rest = found
        if not rest:
            return read._replace(too_long=told)
        lines, *items = rest
        if lines is None:
            return read._replace(told=told, items=items[0])
        sealed = [line.split(" ") for line in lines.decode().split("\n")]
        ids = {key_id for key_id, *_ in sealed if key_id}
        await KEYS.load(ids)
        keys = {key_id: key for key_id in ids if (key := KEYS.get(key_id)) is not None}
        if len(keys) == len(ids):
            opened = partial(_opened, table, sealed, items, keys)
            is_short = len(items) < OPENED_ASIDE_FROM
            return read._replace(told=told, items=opened() if is_short else await asyncio.to_thread(opened))
        without |= ids - keys.keys()


def _opened(
    table: EntityTable, sealed: Sequence[Sequence[str]], items: Sequence[bytes], keys: Mapping[str, Key]
) -> bytes:
    opened = []
    for (key_id, *where), item in zip(sealed, items, strict=True):
        if key_id:
            version, entity_id = where
            place = row_context(table.sealed_as, f"{table.entity.name}:{entity_id}", int(version))
            opened.append(list_item_in(decrypt_texts(keys[key_id], place, item)))
        else:
            opened.append(item)
    return b",".join(opened)


def position_in(etag: str, position: int) -> LogPosition:
    """Return a position of the log that a list's entity tag names."""
    return LogPosition(etag[1:].partition("-")[0], position)


async def opened_record(
    table: EntityTable, entity_id: str, version: int, key_id: str | None, box: bytes | None
) -> bytes | None:
    """Return the record in a row's box as JSON; None: it has no box, or nobody has its key.

    Raises:
        KeysUnavailable: it cannot be had now.
        DecryptionError: the box was changed.
    """
    await KEYS.load([] if key_id is None else [key_id])
    texts = decrypt_row(table.sealed_as, f"{table.entity.name}:{entity_id}", version, key_id, box)
    return record_in(texts) if texts else None
