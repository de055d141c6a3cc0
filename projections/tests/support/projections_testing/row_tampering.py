"""Changes random rows of read tables and access log, and restores them."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, NamedTuple
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

ACCESSES: Final = "audit.accesses"
AT_ONCE: Final = {
    "read.revisions": 5,
    "read.drivers": 2,
    "read.trailers": 2,
    "read.horses": 2,
    "read.locations": 2,
    ACCESSES: 1,
}
"""Rows that are changed at once: `verify` names ten rows of a table, and one of a chain."""

_KEYS: Final = {"read.revisions": "position", ACCESSES: "number"}
_CHANGES: Final = {
    "bigint": ("{0} - 1", "{0} + 1", "{0} + 65536"),
    "text": ("coalesce({0}, '') || 'x'", "'other'"),
    "timestamp with time zone": ("{0} + interval '1 us'", "{0} - interval '1 hour'"),
    "json": ("'{{}}'::json",),
    "uuid": ("gen_random_uuid()",),
    "bytea": (r"set_byte(coalesce({0}, '\x00'), 0, get_byte(coalesce({0}, '\x00'), 0) # 1)",),
    "boolean": ("NOT {0}",),
}
_COLUMNS: Final = """
SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_UPDATE: Final = "UPDATE {table} SET {column} = {change} WHERE {key} = {one}"
_INSERT: Final = """
INSERT INTO {table} SELECT (jsonb_populate_record(row, {new})).* FROM {table} AS row WHERE {key} = {one}
"""
_REPORTED: Final = re.compile(
    r"^THE (?:TABLE (\S+) DOES NOT MATCH THE LOG: (\d+) rows differ: (.+)"
    r"|ACCESS LOG DOES NOT MATCH ITS SEALS: access (\d+)\b.+)$",
    re.MULTILINE,
)

Places = dict[str, list[str]]
"""Keys of missing, changed and additional rows, by table."""


class Edit(NamedTuple):
    """A change of one row."""

    table: str
    places: list[str]
    """The keys that `verify` must name."""
    done: str


def places_of(edits: Iterable[Edit]) -> Places:
    """Return the keys that `verify` must name after several edits."""
    places: Places = defaultdict(list)
    for edit in edits:
        places[edit.table] += edit.places
    return {table: sorted(names) for table, names in places.items()}


def places_reported(reported: str) -> Places:
    """Return the keys that `verify` has named."""
    places: Places = {}
    for table, differ, names, access in _REPORTED.findall(reported):
        places[table or ACCESSES] = sorted(names.split(", ")) if table else [access]
        assert not table or int(differ) == len(places[table]), reported
    return places


class RowTampering:
    """Edits, deletes and inserts rows of a database, in any column."""

    def __init__(self, owner_dsn: str, *, seed: int) -> None:
        self._dsn = owner_dsn
        self._lot = random.Random(seed)
        self._numbers = count(10**9)

    @contextmanager
    def tampered(self) -> Iterator[list[Edit]]:
        """Change rows of every table while the context lasts, and yield the edits."""
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            with connection.transaction():
                tables = [_Table(connection, name, self._lot, self._numbers) for name in AT_ONCE]
                edits = [edit for table in tables for edit in table.tamper()]
            try:
                yield edits
            finally:
                for table in tables:
                    table.restore()


class _Table:
    """A table, and copies of the chosen rows."""

    def __init__(
        self, connection: psycopg.Connection, name: str, lot: random.Random, numbers: Iterator[int]
    ) -> None:
        self._connection = connection
        self._name = name
        self._lot = lot
        self._key = _KEYS.get(name, "id")
        self._parts: dict[str, sql.Composable] = {
            "table": sql.Identifier(*name.split(".")),
            "key": sql.Identifier(self._key),
            "kept": sql.Identifier(f"kept {name}"),
        }
        self._columns = connection.execute(_COLUMNS, (name,)).fetchall()
        self._keys = [key for (key,) in self._execute("SELECT {key} FROM {table} ORDER BY {key}")]
        chosen = lot.sample(self._keys, AT_ONCE[name])
        self._forged = {key: f"X-{next(numbers)}" if self._key == "id" else next(numbers) for key in chosen}
        self._execute("CREATE TEMPORARY TABLE {kept} AS SELECT * FROM {table} WHERE {key} = ANY ({all})")

    def tamper(self) -> Iterator[Edit]:
        """Edit, delete or duplicate each chosen row."""
        for key, forged in self._forged.items():
            how = self._lot.choice(["edited", "edited", "deleted", "inserted"])
            done, gone, came = f"{self._name} {key} {how}", how == "deleted", how == "inserted"
            if how == "edited":
                column, kind = self._lot.choice(self._columns)
                change: sql.Composable = sql.SQL(self._lot.choice(_CHANGES[kind])).format(
                    sql.Identifier(column)
                )
                done += f": {column} = {change.as_string(self._connection)}"
                if column == self._key:
                    change, gone, came = sql.Literal(forged), True, True
                self._execute(_UPDATE, column=sql.Identifier(column), change=change, one=key)
            elif gone:
                self._execute("DELETE FROM {table} WHERE {key} = {one}", one=key)
            else:
                new = {self._key: forged} | ({"access_id": str(uuid4())} if self._name == ACCESSES else {})
                self._execute(_INSERT, new=Jsonb(new), one=key)
            yield Edit(self._name, self._places(key, forged, gone=gone, came=came), done)

    def restore(self) -> None:
        """Restore the rows."""
        self._execute("DELETE FROM {table} WHERE {key} = ANY ({all})")
        self._execute("INSERT INTO {table} SELECT * FROM {kept}")

    def _places(self, key: Any, forged: Any, *, gone: bool, came: bool) -> list[str]:
        places = [key] * (gone or not came) + [forged] * came
        if self._name == ACCESSES:
            # A chain breaks in one place: after a deleted row, the next one has the fault.
            places = ([one for one in self._keys if gone and one > key] + places[::-1])[:1]
        return [str(place) for place in places]

    def _execute(self, statement: str, **parts: Any) -> psycopg.Cursor:
        every = [*self._forged, *self._forged.values()] if "{all}" in statement else []
        return self._connection.execute(sql.SQL(statement).format(**self._parts, all=every, **parts))
