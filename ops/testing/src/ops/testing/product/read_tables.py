"""The read tables, compared with a fold of the log."""

import json
from typing import Any, Final

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import dict_row

from ops.base.records.entities import ENTITY_TYPES
from ops.testing.conditions import PATIENCE_SECONDS, wait_for
from ops.testing.product.decryption import Decrypter
from ops.testing.product.exchanges import canonical
from ops.testing.product.fields import FIELDS
from ops.testing.product.fleet_model import trailer_list_item
from ops.testing.product.log_fold import Fold, fold_log
from ops.testing.stack import RunningProduct

PROJECTIONS: Final = (*(entity.collection for entity in ENTITY_TYPES), "revisions")
_REVISIONS: Final = """
SELECT position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id,
       client_request_id, changes, state, public_event, key_id, ciphertext
FROM read.revisions ORDER BY position
"""
_CAUGHT_UP: Final = "SELECT count(*) FILTER (WHERE position >= %s) FROM read.positions"
_folds: Final[dict[str, Fold]] = {}
"""The fold of each log at its last check, by the DSN of its database's owner."""


def assert_read_tables_match_log(product: RunningProduct) -> Fold:
    """Wait until the projections have caught up, compare the read tables with the log, and return its fold.

    No client may write at the same time.
    """
    wait_until_caught_up(product)
    with psycopg.connect(product.owner_dsn) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        decrypter = Decrypter(product.keys)
        fold = fold_log(connection, decrypter, _folds.pop(product.owner_dsn, Fold()))
        positions = connection.execute("SELECT projection, position FROM read.positions").fetchall()
        assert sorted(positions) == sorted((name, fold.head) for name in PROJECTIONS)
        for entity in FIELDS:
            _assert_entity_table_equal(connection, fold, entity, decrypter)
        _assert_revisions_equal(connection, fold, decrypter)
    _folds[product.owner_dsn] = fold
    return fold


def wait_until_caught_up(product: RunningProduct, *, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until every projection has reached the log's present head; clients may continue to write.

    Raises:
        TimeoutError: a projection has not.
    """
    head = head_of(product)
    with psycopg.connect(product.owner_dsn, autocommit=True) as connection:
        wait_for(
            lambda: connection.execute(_CAUGHT_UP, [head]).fetchone() == (len(PROJECTIONS),),
            seconds=seconds,
            pause=0.02,
        )


def head_of(product: RunningProduct) -> int:
    """Return the log's last position."""
    with psycopg.connect(product.owner_dsn) as connection:
        row = connection.execute("SELECT position FROM log.head").fetchone()
        return int(row[0]) if row else 0


def _assert_entity_table_equal(
    connection: psycopg.Connection, fold: Fold, entity: str, decrypter: Decrypter
) -> None:
    """Check that an entity type's table holds the records of the fold, and nothing else."""
    expected = {
        entity_id: (stream.version, stream.position, stream.record)
        for (of, entity_id), stream in fold.streams.items()
        if of == entity and stream.record is not None
    }
    columns = "id, version, position, record, list_item, key_id, ciphertext"
    rows = connection.execute(f"SELECT {columns} FROM read.{entity}s").fetchall()  # noqa: S608
    decrypter.load(row[-2] for row in rows)
    actual = {row[0]: row[1:3] + _decrypted_texts(entity, row, decrypter) for row in rows}
    assert actual.keys() == expected.keys(), f"read.{entity}s"
    for entity_id, (version, position, record) in expected.items():
        item = trailer_list_item(record) if entity == "trailer" else record
        assert actual[entity_id][:2] == (version, position), f"{entity}:{entity_id}"
        assert canonical(list(actual[entity_id][2:])) == canonical([record, item]), f"{entity}:{entity_id}"


def _decrypted_texts(entity: str, row: tuple[Any, ...], decrypter: Decrypter) -> tuple[Any, Any]:
    """Return a row's record and list item."""
    entity_id, version, _, record, list_item, key_id, ciphertext = row
    texts = decrypter.texts(f"{entity}s", f"{entity}:{entity_id}", version, key_id, ciphertext)
    if texts is None:
        return record, list_item
    _assert_not_personal(record, entity)
    record, list_item = texts
    return json.loads(record), json.loads(list_item or record)


def _assert_revisions_equal(connection: psycopg.Connection, fold: Fold, decrypter: Decrypter) -> None:
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_REVISIONS).fetchall()
    decrypter.load(row["key_id"] for row in rows)
    assert len(rows) == fold.head, "read.revisions has one row for each position"
    for row, expected in zip(rows, fold.revisions, strict=True):
        _assert_public_event(row.pop("public_event"), row["entity"])
        actual = _decrypted_revision(row, decrypter)
        if "state" in expected:
            assert _as_json(actual) == _as_json(expected), f"read.revisions at {expected['position']}"
        else:
            _assert_not_personal(actual["state"] or {}, actual["entity"])
            assert expected.items() <= actual.items(), f"read.revisions at {expected['position']}"


def _as_json(revision: dict[str, Any]) -> dict[str, Any]:
    return {**revision, **{name: canonical(revision[name]) for name in ("changes", "state")}}


def _decrypted_revision(row: dict[str, Any], decrypter: Decrypter) -> dict[str, Any]:
    """Return a revision with the texts of its ciphertext: record, changes and circumstances."""
    key_id, ciphertext = row.pop("key_id"), row.pop("ciphertext")
    stream = f"{row['entity']}:{row['entity_id']}"
    texts = decrypter.texts("revisions", stream, row["version"], key_id, ciphertext)
    if texts is None:
        return row
    shown = [row[name] for name in ("actor_name", "client_request_id")]
    assert shown == [None, None], "an encrypted revision shows an actor's name or a client's request id"
    _assert_not_personal(row["state"] or {}, row["entity"])
    _assert_not_personal({change["field"]: change.get("to") for change in row["changes"]}, row["entity"])
    record, changes, circumstances = texts
    actor_name, request_id, client_request_id, _ = json.loads(circumstances)
    state = json.loads(record or "null")
    registered = [
        {"field": name, "from": None, "to": state[name]}
        for name in FIELDS[row["entity"]]
        if not changes and state[name] is not None
    ]
    return {
        **row,
        "state": state,
        "changes": json.loads(changes) if changes else registered,
        "actor_name": actor_name,
        "request_id": request_id,
        "client_request_id": client_request_id,
    }


def _personal_fields(entity: str) -> set[str]:
    return {name for name, field in FIELDS[entity].items() if field.personal}


def _assert_not_personal(values: dict[str, Any], entity: str) -> None:
    shown = {name for name in _personal_fields(entity) & values.keys() if values[name] is not None}
    assert not shown, "an encrypted row shows personal data"


def _assert_public_event(public_event: dict[str, Any], entity: str) -> None:
    reported = public_event.get("details", {}).keys() | public_event.get("changes", {}).keys()
    assert not _personal_fields(entity) & reported, "the public event shows personal data"
