"""Horses for the tests of the split topology."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ops.launcher.backups.acceptance import newest_seal
from ops.testing.conditions import wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.split.stack import SplitStack


@pytest.fixture
def register_horse(split_stack: SplitStack) -> Callable[[], tuple[str, int]]:
    """Register a horse, and return its stream and its event's position."""

    def register() -> tuple[str, int]:
        with Client(split_stack) as client:
            staff, body = sign_in(split_stack, "staff"), usual_body("horse").sent
            answer = client.request("POST", PATHS["horse"], actor=staff, json=body).raise_for_status()
        position = int(answer.headers["fleetlog-position"].rpartition(":")[2])
        return f"horse:{answer.headers['location'].rpartition('/')[2]}", position

    return register


@pytest.fixture
def horse(split_stack: SplitStack, register_horse: Callable[[], tuple[str, int]]) -> str:
    """The stream of a horse whose event is sealed and published."""
    stream, position = register_horse()
    seals = Path(split_stack.engine.first("worker").environment["FLEETLOG_SEALS"])
    with psycopg.connect(split_stack.owner_dsn, autocommit=True) as owner:
        relayed = "SELECT coalesce(max(position), 0) FROM read.relay_positions"
        wait_for(
            lambda: newest_seal(seals) >= position and owner.execute(relayed).fetchall()[0][0] >= position
        )
    return stream
