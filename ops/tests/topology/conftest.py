"""Fixtures for the tests of the split topology."""

from pathlib import Path

import psycopg
import pytest

from ops.testing.split.horses import register_horse
from ops.testing.split.stack import SplitStack
from ops.testing.waiting import wait_for


@pytest.fixture
def horse(split_stack: SplitStack) -> str:
    """The stream of a horse whose event is sealed and published."""
    stream, position = register_horse(split_stack)
    seals = Path(split_stack.engine.first("worker").environment["FLEETLOG_SEALS"])
    with psycopg.connect(split_stack.owner_dsn, autocommit=True) as owner:
        relayed = "SELECT coalesce(max(position), 0) FROM read.relay_positions"
        wait_for(
            lambda: (
                any(int(note.stem) >= position for note in seals.glob("checkpoints/*.note"))
                and owner.execute(relayed).fetchall()[0][0] >= position
            )
        )
    return stream
