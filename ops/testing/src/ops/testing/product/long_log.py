"""A log made long by copying real events, and checking it without holding it all in memory."""

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import class_row, dict_row

from ops.testing.product.fields import FIELDS
from ops.testing.product.log_fold import EVENTS, Event, Fold
from ops.testing.product.opening import Opener
from ops.testing.product.read_tables import REVISIONS, assert_entity_table_equal, assert_revision_equals
from ops.testing.product.whole import wait_until_caught_up
from ops.testing.stack import Stack

_TEMPLATES: Final = """
SELECT notification_id AS position, originator_id AS stream, originator_version AS version,
       topic, state, moment
FROM log.events WHERE originator_id = ANY(%s) ORDER BY notification_id
"""
_COPY: Final = """
COPY log.events (notification_id, originator_id, originator_version, topic, state, moment) FROM STDIN
"""
_HEAD: Final = "SELECT position, moment FROM log.head"


def copy_streams(
    stack: Stack,
    streams: list[str],
    *,
    copies: int,
    text_of: Callable[[bytes, int], bytes] = lambda text, _: text,
) -> None:
    """Append copies of some streams, of different entity types, to the log; nobody may write meanwhile.

    Args:
        stack: the running product.
        streams: which.
        copies: how many of each: `driver:COPY-1` and so on.
        text_of: returns what is to be in an event of a copy, of what is in the event, and the copy's number.
    """
    opener = Opener(stack.keys)
    with psycopg.connect(stack.owner_dsn) as connection, connection.cursor() as cursor:
        ((position, moment),) = connection.execute(_HEAD).fetchall()
        with connection.cursor(row_factory=class_row(Event)) as reading:
            templates = [(event, event.opened(opener)) for event in reading.execute(_TEMPLATES, [streams])]
        with cursor.copy(_COPY) as copying:
            for number, (event, opened) in product(range(1, copies + 1), templates):
                position += 1
                stream = f"{event.stream.partition(':')[0]}:COPY-{number}"
                text = text_of(opened.state, number)
                state = opener.state_of_another(event.state, text, stream, event.version)
                copying.write_row((position, stream, event.version, event.topic, state, moment))
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
    fold, opener = Fold(), Opener(stack.keys)
    with psycopg.connect(stack.owner_dsn) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        with (
            connection.cursor("events", row_factory=class_row(Event)) as events,
            connection.cursor("revisions", row_factory=dict_row) as revisions,
        ):
            events.itersize = revisions.itersize = 2000
            rows = iter(revisions.execute(REVISIONS))
            for event in events.execute(EVENTS, (0,)):
                fold.add(event.opened(opener))
                assert_revision_equals(next(rows), fold.revisions[-1], opener)
                fold.revisions[-1] = _forgotten(fold)
            assert next(rows, None) is None, "read.revisions has one row for each position"
        for entity in FIELDS:
            assert_entity_table_equal(connection, fold, entity, opener)
    return fold.head


def _forgotten(fold: Fold) -> dict[str, Any]:
    """What is needed of the last revision when the next one is added; one object while time stands still."""
    moment = fold.revisions[-1]["moment"]
    before = fold.revisions[-2] if fold.head > 1 else {}
    return before if before.get("moment") == moment else {"moment": moment}
