"""Rows of lists: joined by the server where all are in the clear, and opened here where some are sealed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Final, TypeVar

from psycopg import sql

from ops.base.encryption.keys import Key
from ops.base.encryption.ring import KEYS
from ops.base.encryption.rows import open_texts, place_of, texts_of
from projections.tables import EntityTable
from projections.tables.boxes import list_item_in, record_in

T = TypeVar("T")

OPENED_ASIDE_FROM: Final = 1000
"""Opening more rows takes milliseconds, which other requests need not wait for."""

# What is restricted is masked as it stands there.
_IS_SEALED: Final = sql.SQL(
    "(box IS NOT NULL AND %(opens)s AND NOT restricted AND key_id <> ALL (%(without)s))"
)
# An array: what is told of the rows, then, by lines, what opens them, and the rows. Without the second, all
# rows are in the clear, and one text.
_CONTENTS: Final = sql.SQL(
    """
    SELECT CASE
      WHEN bytes > {most} THEN NULL
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
    rows: sql.Composable, order: sql.Composable, told: sql.Composable, *, most: int
) -> sql.Composable:
    """Return the scalar subquery that reads rows for `Rows`; null if they are too long.

    Its parameters are those of `contents_parameters`.

    Args:
        rows: of an entity table, as FROM has it.
        order: what they are ordered by.
        told: SQL of what is told of all of them.
        most: bytes.
    """
    answer = _CONTENTS.format(most=sql.Literal(most), told=told, sealed=_IS_SEALED, order=order, rows=rows)
    return sql.SQL("({})").format(answer)


def contents_parameters(without: Collection[str]) -> dict[str, Any]:
    """Return the parameters of `contents`.

    Args:
        without: ids of keys that nobody has.
    """
    return {"opens": KEYS.seals, "without": list(without)}


class Rows:
    """Rows that were read.

    Attributes:
        told: what is told of all of them.
    """

    def __init__(self, table: EntityTable, told: bytes, sealed: bytes | None, *items: bytes) -> None:
        """Take what `contents` gives.

        Args:
            table: whose rows.
            told: what is told of all of them.
            sealed: a line for each: id of key, version and id; empty where it is in the clear. None: all are.
            items: boxes, or list items as JSON; one text, if all are in the clear.
        """
        self.told = told
        self._table = table
        self._items = items
        self._keys: dict[str, Key] = {}
        self._sealed = None if sealed is None else [line.split(" ") for line in sealed.decode().split("\n")]

    async def missing_keys(self) -> set[str]:
        """Fetch what opens them, and return the ids of the keys that nobody has.

        Raises:
            KeysUnavailable: they cannot be had now.
        """
        ids = {line[0] for line in self._sealed or () if line[0]}
        await KEYS.load(ids)
        self._keys = {key_id: key for key_id in ids if (key := KEYS.get(key_id)) is not None}
        return ids - self._keys.keys()

    async def items(self) -> bytes:
        """Return the list items as JSON, with commas between, when no key is missing.

        Raises:
            CannotOpen: a box was changed.
        """
        if self._sealed is None:
            return self._items[0]
        if len(self._items) < OPENED_ASIDE_FROM:
            return self._opened(self._sealed)
        return await asyncio.to_thread(self._opened, self._sealed)

    def _opened(self, sealed: Sequence[Sequence[str]]) -> bytes:
        opened, prefix = [], f"{self._table.entity.name}:"
        for (key_id, *where), item in zip(sealed, self._items, strict=True):
            if key_id:
                version, entity_id = where
                place = place_of(self._table.sealed_as, prefix + entity_id, int(version))
                opened.append(list_item_in(open_texts(self._keys[key_id], place, item)))
            else:
                opened.append(item)
        return b",".join(opened)


async def rows_read(
    table: EntityTable, read: Callable[[Collection[str]], Awaitable[tuple[T, Sequence[Any] | None]]]
) -> tuple[T, Rows | None]:
    """Read rows with what opens them, and what is read with them, as of one moment.

    Args:
        table: whose rows.
        read: reads what goes with them, and what `contents` gives, without the keys whose ids it is given.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    without: set[str] = set()
    while True:
        besides, found = await read(without)
        if found is None:
            return besides, None
        rows = Rows(table, *found)
        if not (missing := await rows.missing_keys()):
            return besides, rows
        without |= missing


async def opened_record(
    table: EntityTable, entity_id: str, version: int, key_id: str | None, box: bytes | None
) -> bytes | None:
    """Return the record in a row's box as JSON; None: it has no box, or nobody has its key.

    Raises:
        KeysUnavailable: it cannot be had now.
        CannotOpen: the box was changed.
    """
    await KEYS.load([] if key_id is None else [key_id])
    texts = texts_of(table.sealed_as, f"{table.entity.name}:{entity_id}", version, key_id, box)
    return record_in(texts) if texts else None
