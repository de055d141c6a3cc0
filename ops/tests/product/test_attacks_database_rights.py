"""What somebody does in the database with one service's password keeps nobody from writing."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Final

import psycopg
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.whole import assert_whole
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

READERS: Final = ("projections", "query-api")
"""Services whose passwords are no reason to hold up an append."""
ATTACKS: Final = (
    "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_xact_lock_shared(hashtext('fleetlog.append'))",
    "LOCK TABLE log.append_lock IN ACCESS SHARE MODE",
    "LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE",
    "LOCK TABLE log.append_lock IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE log.events IN ROW SHARE MODE",
    "LOCK TABLE log.events IN SHARE MODE",
    "LOCK TABLE log.identity IN ROW SHARE MODE",
    "LOCK TABLE log.outcomes IN ROW EXCLUSIVE MODE",
    "SELECT 1 FROM log.events FOR UPDATE",
    "SELECT 1 FROM log.identity FOR SHARE",
    "SELECT * FROM log.events ORDER BY notification_id DESC LIMIT 1",
    "SELECT * FROM log.head",
    "LISTEN fleetlog_events",
    "SELECT pg_notify('fleetlog_events', '')",
    "SELECT pg_notify('fleetlog_events', '9223372036854775808')",
    "SELECT pg_notify('fleetlog_events', repeat('x', 7999))",
)


@contextlib.contextmanager
def attacked(stack: Stack, number: int) -> Iterator[int]:
    """Carry one attack out as each reader, and hold on to what it gave; count what was not refused."""
    with contextlib.ExitStack() as held:
        allowed = 0
        for role in READERS:
            connection = held.enter_context(psycopg.connect(stack.dsn(role)))
            try:
                connection.execute(ATTACKS[number % len(ATTACKS)].encode())
                allowed += 1
            except psycopg.errors.InsufficientPrivilege:
                connection.rollback()
        yield allowed


def attack(stack: Stack, client: Client, actor: Actor, *, rounds: int) -> None:
    """While each attack goes on, somebody writes; an append that waits for a lock is answered 503."""
    allowed = 0
    for number in itertools.islice(itertools.cycle(range(len(ATTACKS))), rounds):
        with attacked(stack, number) as successes:
            allowed += successes
            answer = client.request("POST", PATHS["horse"], actor=actor, json=usual_body("horse").sent)
            assert answer.status_code == 201, (ATTACKS[number], answer.text)
    print(
        f"{rounds} attacks as {len(READERS)} roles, {allowed} of them not refused: every write was answered"
    )
    assert_whole(stack)


def test_readers_hold_no_writer_up(stack: Stack, client: Client, asha: Actor) -> None:
    attack(stack, client, asha, rounds=len(ATTACKS))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_readers_hold_no_writer_up_for_long(stack: Stack, client: Client, asha: Actor) -> None:
    attack(stack, client, asha, rounds=soak_count(100 * len(ATTACKS)))
