"""Whether the running product is whole: caught up, and its read tables what the log adds up to."""

import time
from typing import Final

import psycopg
from psycopg import IsolationLevel

from ops.testing.product.log_fold import Fold, fold_log
from ops.testing.product.opening import Opener
from ops.testing.product.read_tables import PROJECTIONS, assert_read_tables_equal
from ops.testing.product.running import RunningProduct

_CATCH_UP_SECONDS: Final = 90.0
_BEHIND: Final = """
SELECT count(*) FILTER (WHERE positions.position >= coalesce(%(wanted)s, head.position)) < %(all)s
FROM log.head, read.positions
"""
_folds: Final[dict[str, Fold]] = {}
"""What each log added up to when it was last read, by the DSN of its database's owner."""


def assert_whole(product: RunningProduct) -> Fold:
    """Wait until the projections have caught up, and check the read tables against the whole log.

    Nobody may write meanwhile.

    Returns:
        What the log adds up to.
    """
    with psycopg.connect(product.owner_dsn, autocommit=True) as connection:
        wait_until_caught_up(connection)
    with psycopg.connect(product.owner_dsn) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        opener = Opener(product.keys)
        fold = fold_log(connection, opener, _folds.pop(product.owner_dsn, Fold()))
        assert_read_tables_equal(connection, fold, opener)
    _folds[product.owner_dsn] = fold
    return fold


def wait_until_caught_up(
    connection: psycopg.Connection, position: int | None = None, *, seconds: float = _CATCH_UP_SECONDS
) -> None:
    """Wait until every projection has reached the log's head, or a position.

    Args:
        connection: with the owner's rights, in autocommit mode.
        position: where the others write on meanwhile: which one will do.
        seconds: how long at most.

    Raises:
        TimeoutError: one of them has not.
    """
    deadline = time.monotonic() + seconds
    while True:
        row = connection.execute(_BEHIND, {"all": len(PROJECTIONS), "wanted": position}).fetchone()
        if row and not row[0]:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"the projections have not caught up after {seconds:.0f} s")
        time.sleep(0.02)


def head_of(product: RunningProduct) -> int:
    """Return the log's last position."""
    with psycopg.connect(product.owner_dsn) as connection:
        row = connection.execute("SELECT position FROM log.head").fetchone()
        return int(row[0]) if row else 0
