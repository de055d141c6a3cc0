"""Lengthening a log by copies of real events, and checking a long log as a stream."""

from itertools import product
from typing import Any, Final

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import class_row, dict_row

from ops.testing.product.decryption import Decrypter
from ops.testing.product.fields import FIELDS
from ops.testing.product.log_fold import EVENTS, Event, Fold
from ops.testing.product.read_tables import (
    REVISIONS,
    assert_entity_table_equal,
    assert_revision_equals,
    wait_until_caught_up,
)
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


def copy_streams(stack: Stack, streams: list[str], *, copies: int) -> None:
    """Append copies of streams of different entity types to the log, while no client writes.

    The copies of a driver's stream are named `driver:COPY-1` and so on.
    """
    decrypter = Decrypter(stack.keys)
    with psycopg.connect(stack.owner_dsn) as connection, connection.cursor() as cursor:
        ((position, moment),) = connection.execute(_HEAD).fetchall()
        with connection.cursor(row_factory=class_row(Event)) as reading:
            templates = [
                (event, event.decrypted(decrypter)) for event in reading.execute(_TEMPLATES, [streams])
            ]
        with cursor.copy(_COPY) as copying:
            for number, (event, decrypted) in product(range(1, copies + 1), templates):
                position += 1
                stream = f"{event.stream.partition(':')[0]}:COPY-{number}"
                state = decrypter.encrypted_like(event.state, decrypted.state, stream, event.version)
                copying.write_row((position, stream, event.version, event.topic, state, moment))
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) log.events")


def assert_read_tables_match_long_log(stack: Stack, *, seconds: float) -> int:
    """Wait until the projections have caught up, compare the read tables row by row, and return the head.

    No client may write at the same time.
    """
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        wait_until_caught_up(connection, seconds=seconds)
    fold, decrypter = Fold(), Decrypter(stack.keys)
    with psycopg.connect(stack.owner_dsn) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        with (
            connection.cursor("events", row_factory=class_row(Event)) as events,
            connection.cursor("revisions", row_factory=dict_row) as revisions,
        ):
            events.itersize = revisions.itersize = 2000
            rows = iter(revisions.execute(REVISIONS))
            for event in events.execute(EVENTS, (0,)):
                fold.add(event.decrypted(decrypter))
                assert_revision_equals(next(rows), fold.revisions[-1], decrypter)
                fold.revisions[-1] = _reduced(fold)
            assert next(rows, None) is None, "read.revisions has one row for each position"
        for entity in FIELDS:
            assert_entity_table_equal(connection, fold, entity, decrypter)
    return fold.head


def _reduced(fold: Fold) -> dict[str, Any]:
    """Return the part of the last revision that the check of the next one needs."""
    moment = fold.revisions[-1]["moment"]
    before = fold.revisions[-2] if fold.head > 1 else {}
    return before if before.get("moment") == moment else {"moment": moment}
