"""Tampering with what people look at: rows of read tables and of the access log, by lot, and mended again."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import sql

_KEYS: Final = {
    "read.revisions": "position",
    "read.drivers": "id",
    "read.trailers": "id",
    "read.horses": "id",
    "read.locations": "id",
    "audit.accesses": "number",
}
_CHANGES: Final = {
    "read.revisions": {
        "entity": "'driver2'",
        "entity_id": "entity_id || 'x'",
        "version": "version + 65536",
        "type": "type || 'x'",
        "moment": "moment + interval '1 us'",
        "actor_sub": "'auth0|somebody-else'",
        "actor_name": "'Somebody Else'",
        "request_id": "'other'",
        "traceparent": "'other'",
        "reason": "'other'",
        "changes": """'[{"field": "city", "from": null, "to": "Elsewhere"}]'::json""",
        "state": "'{}'::json",
        "public_event": "'{}'::json",
    },
    "entity": {
        "id": "id || 'x'",
        "version": "version + 1",
        "position": "position - 1",
        "record": "'{}'::json",
        "list_item": "'{}'::json",
    },
    "audit.accesses": {
        "access_id": "gen_random_uuid()",
        "moment": "moment - interval '1 hour'",
        "actor_sub": "'somebody-else'",
        "actor_name": "'Somebody Else'",
        "request_id": "'other'",
        "action": "'other'",
        "details": "'{}'::json",
        "hash": "set_byte(hash, 0, get_byte(hash, 0) # 1)",
    },
}


class RowTampering:
    """Edits, deletes and inserts rows of a database."""

    def __init__(self, owner_dsn: str, *, seed: int) -> None:
        """Take a database.

        Args:
            owner_dsn: with all rights.
            seed: decides the lot.
        """
        self._dsn = owner_dsn
        self._lot = random.Random(seed)

    @contextmanager
    def tampered(self) -> Iterator[tuple[str, str]]:
        """Tamper for a while; gives the table, and what was done."""
        table = self._lot.choice(list(_KEYS))
        how = self._lot.choice(["edited", "edited", "deleted", "inserted"])
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            key = self._key_in(connection, table)
            name = sql.Identifier(*table.split("."))
            column = sql.Identifier(_KEYS[table])
            kept = sql.SQL("CREATE TEMPORARY TABLE kept AS SELECT * FROM {} WHERE {} = %s")
            connection.execute(kept.format(name, column), (key,))
            done, undo = self._tamper(how, table, name, column)
            connection.execute(done, (key,))
            try:
                yield table, f"{table} {how}, {key}: {done.as_string(connection)}"
            finally:
                for statement in undo:
                    connection.execute(statement)
                connection.execute("DROP TABLE kept")

    def _key_in(self, connection: psycopg.Connection, table: str) -> Any:
        name, column = sql.Identifier(*table.split(".")), sql.Identifier(_KEYS[table])
        statement = sql.SQL("SELECT {0} FROM {1} ORDER BY {0}").format(column, name)
        return self._lot.choice([key for (key,) in connection.execute(statement)])

    def _tamper(
        self, how: str, table: str, name: sql.Composable, column: sql.Identifier
    ) -> tuple[sql.Composed, list[sql.Composed]]:
        restore = sql.SQL("INSERT INTO {} SELECT * FROM kept").format(name)
        delete = sql.SQL("DELETE FROM {} WHERE {} = %s").format(name, column)
        forged = self._forged(table)
        remove_forged = sql.SQL("DELETE FROM {} WHERE {} = {}").format(name, column, forged)
        if how == "deleted":
            return delete, [restore]
        if how == "inserted":
            copy = sql.SQL(
                "INSERT INTO {0} SELECT (jsonb_populate_record(row, jsonb_build_object({1}, {2}) || {3})).*"
                " FROM {0} AS row WHERE {4} = %s"
            ).format(
                name,
                sql.Literal(_KEYS[table]),
                forged,
                sql.SQL("jsonb_build_object('access_id', gen_random_uuid())" if "audit" in table else "'{}'"),
                column,
            )
            return copy, [remove_forged]
        changes = _CHANGES.get(table, _CHANGES["entity"])
        changed = self._lot.choice(list(changes))
        edit = sql.SQL("UPDATE {} SET {} = {} WHERE {} = %s").format(
            name, sql.Identifier(changed), sql.SQL(changes[changed]), column
        )
        if changed == _KEYS[table]:
            gone = sql.SQL("DELETE FROM {} WHERE {} = (SELECT {} || 'x' FROM kept)").format(
                name, column, column
            )
        else:
            gone = sql.SQL("DELETE FROM {} WHERE {} = (SELECT {} FROM kept)").format(name, column, column)
        return edit, [gone, restore]

    def _forged(self, table: str) -> sql.Literal:
        return sql.Literal(f"X-{self._lot.randrange(10**6)}" if _KEYS[table] == "id" else 10**9)
