"""The read tables held against what the log adds up to."""

from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from ops.base.entities import ENTITY_TYPES
from ops.testing.product.fields import FIELDS
from ops.testing.product.fleet_model import trailer_list_item
from ops.testing.product.json_values import canonical
from ops.testing.product.log_fold import Fold

PROJECTIONS: Final = (*(entity.collection for entity in ENTITY_TYPES), "revisions")
REVISIONS: Final = """
SELECT position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id,
       client_request_id, changes, state, public_event
FROM read.revisions ORDER BY position
"""


def assert_read_tables_equal(connection: psycopg.Connection, fold: Fold) -> None:
    """Check that the read tables hold what the log adds up to: nothing more, nothing less.

    Args:
        connection: with the owner's rights, and at the moment at which the log was added up.
        fold: what the log adds up to.
    """
    positions = connection.execute("SELECT projection, position FROM read.positions").fetchall()
    assert sorted(positions) == sorted((name, fold.head) for name in PROJECTIONS)
    for entity in FIELDS:
        assert_entity_table_equal(connection, fold, entity)
    _assert_revisions_equal(connection, fold)


def assert_entity_table_equal(connection: psycopg.Connection, fold: Fold, entity: str) -> None:
    """Check one of them; see `assert_read_tables_equal`."""
    expected = {
        entity_id: (stream.version, stream.position, stream.record)
        for (of, entity_id), stream in fold.streams.items()
        if of == entity and stream.record is not None
    }
    rows = connection.execute(f"SELECT id, version, position, record, list_item FROM read.{entity}s")  # noqa: S608
    actual = {row[0]: row[1:] for row in rows}
    assert actual.keys() == expected.keys(), f"read.{entity}s"
    for entity_id, (version, position, record) in expected.items():
        item = trailer_list_item(record) if entity == "trailer" else record
        assert actual[entity_id][:2] == (version, position), f"{entity}:{entity_id}"
        assert canonical(list(actual[entity_id][2:])) == canonical([record, item]), f"{entity}:{entity_id}"


def _assert_revisions_equal(connection: psycopg.Connection, fold: Fold) -> None:
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(REVISIONS).fetchall()
    assert len(rows) == fold.head, "read.revisions has one row for each position"
    for row, expected in zip(rows, fold.revisions, strict=True):
        assert_revision_equals(row, expected)


def assert_revision_equals(row: dict[str, Any], expected: dict[str, Any]) -> None:
    """Check a row that `REVISIONS` selects against what the fold says of its position."""
    _assert_nothing_personal_in(row.pop("public_event"), row["entity"])
    assert _as_json(row) == _as_json(expected), f"read.revisions at position {expected['position']}"


def _as_json(revision: dict[str, Any]) -> dict[str, Any]:
    return {**revision, **{name: canonical(revision[name]) for name in ("changes", "state")}}


def _assert_nothing_personal_in(public_event: dict[str, Any], entity: str) -> None:
    reported = public_event.get("details", {}).keys() | public_event.get("changes", {}).keys()
    personal = {name for name, field in FIELDS[entity].items() if field.personal}
    assert not personal & reported, "the public event tells too much"
