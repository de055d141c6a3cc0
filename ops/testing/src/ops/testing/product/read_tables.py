"""The read tables held against what the log adds up to."""

import json
from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from ops.base.records.entities import ENTITY_TYPES
from ops.testing.product.fields import FIELDS
from ops.testing.product.fleet_model import trailer_list_item
from ops.testing.product.json_values import canonical
from ops.testing.product.log_fold import Fold
from ops.testing.product.opening import Opener

PROJECTIONS: Final = (*(entity.collection for entity in ENTITY_TYPES), "revisions")
REVISIONS: Final = """
SELECT position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id,
       client_request_id, changes, state, public_event, key_id, box
FROM read.revisions ORDER BY position
"""


def assert_read_tables_equal(connection: psycopg.Connection, fold: Fold, opener: Opener) -> None:
    """Check that the read tables hold what the log adds up to: nothing more, nothing less.

    Args:
        connection: with the owner's rights, and at the moment at which the log was added up.
        fold: what the log adds up to.
        opener: opens what is sealed.
    """
    positions = connection.execute("SELECT projection, position FROM read.positions").fetchall()
    assert sorted(positions) == sorted((name, fold.head) for name in PROJECTIONS)
    for entity in FIELDS:
        assert_entity_table_equal(connection, fold, entity, opener)
    _assert_revisions_equal(connection, fold, opener)


def assert_entity_table_equal(
    connection: psycopg.Connection, fold: Fold, entity: str, opener: Opener
) -> None:
    """Check one of them; see `assert_read_tables_equal`."""
    expected = {
        entity_id: (stream.version, stream.position, stream.record)
        for (of, entity_id), stream in fold.streams.items()
        if of == entity and stream.record is not None
    }
    columns = "id, version, position, record, list_item, key_id, box"
    rows = connection.execute(f"SELECT {columns} FROM read.{entity}s").fetchall()  # noqa: S608
    opener.load(row[-2] for row in rows)
    actual = {row[0]: row[1:3] + _opened_texts(entity, row, opener) for row in rows}
    assert actual.keys() == expected.keys(), f"read.{entity}s"
    for entity_id, (version, position, record) in expected.items():
        item = trailer_list_item(record) if entity == "trailer" else record
        assert actual[entity_id][:2] == (version, position), f"{entity}:{entity_id}"
        assert canonical(list(actual[entity_id][2:])) == canonical([record, item]), f"{entity}:{entity_id}"


def _opened_texts(entity: str, row: tuple[Any, ...], opener: Opener) -> tuple[Any, Any]:
    """Return a row's record and list item."""
    entity_id, version, _, record, list_item, key_id, box = row
    texts = opener.texts(f"{entity}s", f"{entity}:{entity_id}", version, key_id, box)
    if texts is None:
        return record, list_item
    _assert_nothing_personal_in(record, entity)
    record, list_item = texts
    return json.loads(record), json.loads(list_item or record)


def _assert_revisions_equal(connection: psycopg.Connection, fold: Fold, opener: Opener) -> None:
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(REVISIONS).fetchall()
    opener.load(row["key_id"] for row in rows)
    assert len(rows) == fold.head, "read.revisions has one row for each position"
    for row, expected in zip(rows, fold.revisions, strict=True):
        assert_revision_equals(row, expected, opener)


def assert_revision_equals(row: dict[str, Any], expected: dict[str, Any], opener: Opener) -> None:
    """Check a row that `REVISIONS` selects against what the fold says of its position."""
    _assert_public_event(row.pop("public_event"), row["entity"])
    row = _opened_revision(row, opener)
    if "state" not in expected:
        _assert_nothing_personal_in(row["state"] or {}, row["entity"])
        assert expected.items() <= row.items(), f"read.revisions at position {expected['position']}"
        return
    assert _as_json(row) == _as_json(expected), f"read.revisions at position {expected['position']}"


def _as_json(revision: dict[str, Any]) -> dict[str, Any]:
    return {**revision, **{name: canonical(revision[name]) for name in ("changes", "state")}}


def _opened_revision(row: dict[str, Any], opener: Opener) -> dict[str, Any]:
    """Return a revision as it is in its box: the state to go on from, the record, changes, and who."""
    key_id, box = row.pop("key_id"), row.pop("box")
    stream = f"{row['entity']}:{row['entity_id']}"
    texts = opener.texts("revisions", stream, row["version"], key_id, box)
    if texts is None:
        return row
    told = [row[name] for name in ("actor_name", "client_request_id")]
    assert told == [None, None], "a revision names somebody beside its box"
    _assert_nothing_personal_in(row["state"] or {}, row["entity"])
    _assert_nothing_personal_in(
        {change["field"]: change.get("to") for change in row["changes"]}, row["entity"]
    )
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


def _assert_nothing_personal_in(values: dict[str, Any], entity: str) -> None:
    personal = {name for name, field in FIELDS[entity].items() if field.personal}
    told = {name for name in personal & values.keys() if values[name] is not None}
    assert not told, "what is personal is there beside its box"


def _assert_public_event(public_event: dict[str, Any], entity: str) -> None:
    reported = public_event.get("details", {}).keys() | public_event.get("changes", {}).keys()
    personal = {name for name, field in FIELDS[entity].items() if field.personal}
    assert not personal & reported, "the public event tells too much"
