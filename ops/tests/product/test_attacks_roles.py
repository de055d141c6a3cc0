"""Whoever has the password of one service's database role holds no other service up."""

import asyncio
import contextlib
import itertools
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.testing.fixtures import SPLIT, TOPOLOGY
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.whole import assert_whole
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


embedded = pytest.mark.skipif(os.environ.get(TOPOLOGY) == SPLIT, reason="the roles are the same")
TABLES = (
    *("log.events", "log.identity", "log.append_lock", "log.outcomes", "log.schema_revisions"),
    *("read.positions", "read.drivers", "read.revisions", "audit.accesses"),
)
MODES = ("ACCESS EXCLUSIVE", "SHARE ROW EXCLUSIVE", "SHARE", "SHARE UPDATE EXCLUSIVE", "ROW SHARE")
"""All that could keep somebody from writing; the strongest first."""
ADVISORY = (
    "SELECT pg_advisory_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))",
    "SELECT pg_try_advisory_lock(hashtext('fleetlog.append')::bigint)",
)
OWN_TABLES = {"projections": "read.", "sealer": "read."}
"""Whoever keeps the read tables up can hold them up."""


def dsn_of(stack: Stack, role: str) -> str:
    password = load_or_make(DataFolder(stack.data)).roles[role]
    return make_conninfo(stack.owner_dsn, user=f"{DATABASE}_{role}", password=password)


@contextmanager
def attacker(stack: Stack, role: str) -> Iterator[list[str]]:
    """Take all the connections and locks that a role can get, and keep them; gives which locks these are."""
    dsn, taken = dsn_of(stack, role), list[str]()
    own = OWN_TABLES.get(role, "-")
    statements = [f"LOCK TABLE {table} IN {mode} MODE" for table in TABLES for mode in MODES]
    with ExitStack() as opened:
        for statement in [*(one for one in statements if f" {own}" not in one), *ADVISORY]:
            connection = psycopg.connect(dsn, options="-c lock_timeout=1s")
            try:
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                connection.close()
            else:
                opened.enter_context(connection)
                taken.append(statement)
        with suppress(psycopg.OperationalError):
            while True:
                opened.enter_context(psycopg.connect(dsn))
        yield taken


async def work(stack: Stack, count: int, *, without: str) -> Counter[str]:
    """Write and read, but for one service; gives what failed."""
    requests = {"command": ("POST", usual_body("horse").sent), "query": ("GET", None)}
    requests.pop(without, None)
    failed: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {stack.token()}"}
    async with httpx.AsyncClient(
        base_url=stack.address, headers=headers, timeout=30, trust_env=False
    ) as client:
        for _ in range(count):
            for method, body in requests.values():
                answer = await client.request(method, PATHS["horse"], json=body)
                if not answer.is_success:
                    failed[f"{method} {answer.status_code}"] += 1
    return failed


async def take_all(stack: Stack, role: str, count: int) -> None:
    with attacker(stack, role) as taken:
        assert taken == []
        # A service of which somebody else has the password cannot be vouched for; all others can.
        assert await work(stack, count, without=role) == Counter()


@embedded
@pytest.mark.parametrize("role", SERVICE_GROUPS)
async def test_a_role_takes_all_it_can_get_and_nobody_is_held_up(stack: Stack, role: str) -> None:
    await take_all(stack, role, 3)


@embedded
@pytest.mark.soak
@pytest.mark.parametrize("role", SERVICE_GROUPS)
async def test_and_does_so_again_and_again(stack: Stack, role: str) -> None:
    for _ in range(soak_count(20)):
        await asyncio.wait_for(take_all(stack, role, 50), 600)


READERS: Final = ("projections", "query-api")
"""Services whose passwords are no reason to hold up an append."""
STATEMENTS: Final = (
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
    """Carry one try_each out as each reader, and hold on to what it gave; count what was not refused."""
    with contextlib.ExitStack() as held:
        allowed = 0
        for role in READERS:
            connection = held.enter_context(psycopg.connect(stack.dsn(role)))
            try:
                connection.execute(STATEMENTS[number % len(STATEMENTS)].encode())
                allowed += 1
            except psycopg.errors.InsufficientPrivilege:
                connection.rollback()
        yield allowed


def try_each(stack: Stack, client: Client, actor: Actor, *, rounds: int) -> None:
    """While each try_each goes on, somebody writes; an append that waits for a lock is answered 503."""
    allowed = 0
    for number in itertools.islice(itertools.cycle(range(len(STATEMENTS))), rounds):
        with attacked(stack, number) as successes:
            allowed += successes
            answer = client.request("POST", PATHS["horse"], actor=actor, json=usual_body("horse").sent)
            assert answer.status_code == 201, (STATEMENTS[number], answer.text)
    print(
        f"{rounds} attacks as {len(READERS)} roles, {allowed} of them not refused: every write was answered"
    )
    assert_whole(stack)


def test_readers_hold_no_writer_up(stack: Stack, client: Client, asha: Actor) -> None:
    try_each(stack, client, asha, rounds=len(STATEMENTS))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_readers_hold_no_writer_up_for_long(stack: Stack, client: Client, asha: Actor) -> None:
    try_each(stack, client, asha, rounds=soak_count(100 * len(STATEMENTS)))
