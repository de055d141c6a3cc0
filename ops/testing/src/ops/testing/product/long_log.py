"""A log made long by copying real events, and checking it without holding it all in memory."""

from typing import Any, Final

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import class_row, dict_row

from ops.testing.product.fields import FIELDS
from ops.testing.product.log_fold import EVENTS, Event, Fold
from ops.testing.product.read_tables import REVISIONS, assert_entity_table_equal, assert_revision_equals
from ops.testing.product.whole import wait_until_caught_up
from ops.testing.stack import Stack

# Events do not repeat their stream's name: copied under another one they are as real as the first.
_COPY: Final = """
INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)
SELECT
  head.position + row_number() OVER (ORDER BY copy, template.notification_id),
  format('%%s:COPY-%%s', split_part(topic, '.', 1), copy),
  template.originator_version, template.topic, template.state, head.moment
FROM log.events AS template, log.head, generate_series(1, %(copies)s) AS copy
WHERE template.originator_id = ANY(%(streams)s)
"""


def copy_streams(stack: Stack, streams: list[str], *, copies: int) -> None:
    """Append copies of some streams, of different entity types, to the log; nobody may write meanwhile."""
    with psycopg.connect(stack.owner_dsn) as connection:
        connection.execute(_COPY, {"streams": streams, "copies": copies})
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) log.events")


def assert_long_log_whole(stack: Stack, *, seconds: float) -> int:
    """Wait until the projections have caught up, and check the read tables row by row.

    Nobody may write meanwhile.

    Args:
        stack: the running product.
        seconds: how long to wait at most.

    Returns:
        The log's length.
    """
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        wait_until_caught_up(connection, seconds=seconds)
    fold = Fold()
    with psycopg.connect(stack.owner_dsn) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        with (
            connection.cursor("events", row_factory=class_row(Event)) as events,
            connection.cursor("revisions", row_factory=dict_row) as revisions,
        ):
            events.itersize = revisions.itersize = 2000
            rows = iter(revisions.execute(REVISIONS))
            for event in events.execute(EVENTS):
                fold.add(event)
                assert_revision_equals(next(rows), fold.revisions[-1])
                fold.revisions[-1] = _forgotten(fold)
            assert next(rows, None) is None, "read.revisions has one row for each position"
        for entity in FIELDS:
            assert_entity_table_equal(connection, fold, entity)
    return fold.head


def _forgotten(fold: Fold) -> dict[str, Any]:
    """What is needed of the last revision when the next one is added; one object while time stands still."""
    moment = fold.revisions[-1]["moment"]
    before = fold.revisions[-2] if fold.head > 1 else {}
    return before if before.get("moment") == moment else {"moment": moment}
