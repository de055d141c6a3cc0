"""An attacker with the password of one service's database role does not block another service."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.testing.fixtures import SPLIT, TOPOLOGY
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.product.read_tables import assert_read_tables_match_log
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.environ.get(TOPOLOGY) == SPLIT, reason="the roles are the same"),
]

TABLES: Final = (
    *("log.events", "log.identity", "log.append_lock", "log.outcomes", "log.schema_revisions"),
    *("read.positions", "read.drivers", "read.revisions", "audit.accesses"),
)
MODES: Final = ("ACCESS EXCLUSIVE", "SHARE ROW EXCLUSIVE", "SHARE", "SHARE UPDATE EXCLUSIVE", "ROW SHARE")
"""All lock modes that could block a writer, the strongest first."""
ADVISORY: Final = (
    "SELECT pg_advisory_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_xact_lock_shared(hashtext('fleetlog.append'))",
    "SELECT pg_try_advisory_lock(hashtext('fleetlog.append')::bigint)",
)
OWN_TABLES: Final = {"projections": "read.", "sealer": "read."}
"""Prefix of the tables that a role maintains and may therefore lock."""
READERS: Final = ("projections", "sealer", "query")
"""Roles that append no events, so that none of the following may block an append either."""
READ_STATEMENTS: Final = (
    "LOCK TABLE log.append_lock IN ACCESS SHARE MODE",
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


def dsn_of(stack: Stack, role: str) -> str:
    password = load_or_make(DataFolder(stack.data)).roles[role]
    return make_conninfo(stack.owner_dsn, user=f"{DATABASE}_{role}", password=password)


@contextmanager
def attacker(stack: Stack, role: str) -> Iterator[list[str]]:
    """Take and keep all connections and locks that a role can get; yield the locks."""
    dsn, taken = dsn_of(stack, role), list[str]()
    own = OWN_TABLES.get(role, "-")
    locks = [f"LOCK TABLE {table} IN {mode} MODE" for table in TABLES for mode in MODES]
    locks = [*(one for one in locks if f" {own}" not in one), *ADVISORY]
    with ExitStack() as opened:
        for statement in (*locks, *(READ_STATEMENTS if role in READERS else ())):
            connection = psycopg.connect(dsn, options="-c lock_timeout=1s")
            try:
                connection.execute(statement.encode())
            except psycopg.errors.InsufficientPrivilege:
                connection.close()
            else:
                opened.enter_context(connection)
                taken += [statement] if statement in locks else []
        with suppress(psycopg.OperationalError):
            while True:
                opened.enter_context(psycopg.connect(dsn))
        yield taken


async def work(stack: Stack, count: int, *, without: str) -> Counter[str]:
    """Write and read, except through one service, and return the failures."""
    requests = {"command": ("POST", usual_body("horse").sent), "query": ("GET", None)}
    requests.pop(without, None)
    failed: Counter[str] = Counter()
    async with stack.async_http(timeout=30) as client:
        for _ in range(count):
            for method, body in requests.values():
                answer = await client.request(method, PATHS["horse"], json=body)
                if not answer.is_success:
                    failed[f"{method} {answer.status_code}"] += 1
    return failed


@pytest.mark.parametrize("rounds", suite_and_soak(1, 20))
@pytest.mark.parametrize("role", SERVICE_GROUPS)
async def test_stolen_role_blocks_no_other_service(stack: Stack, role: str, rounds: int) -> None:
    for _ in range(rounds):
        with attacker(stack, role) as taken:
            assert taken == []
            # The service whose password is stolen may fail; all others must not.
            assert await work(stack, 3 if rounds == 1 else 50, without=role) == Counter()
    assert_read_tables_match_log(stack)
