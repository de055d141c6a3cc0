"""A process says that it is there, and that it ends; a database that is away keeps it from nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ops.base.http.health import Check, Health
from ops.base.process.heartbeat import Heartbeat
from ops.base.process.tasks import running
from ops.launcher.processes.ports import free_port
from ops.testing.postgres import Database
from ops.testing.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.integration


def told(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT instance, name, health, reason, state FROM operations.services ORDER BY instance"
        ).fetchall()


@asynccontextmanager
async def beating(dsn: str, health: Health, **more: Any) -> AsyncIterator[None]:
    async def tell() -> Health:
        return health

    async with running(Heartbeat(dsn, "relay", tell, last_word_seconds=PATIENCE_SECONDS, **more).run):
        yield


async def test_it_says_how_it_is_and_that_it_has_ended(database: Database, tmp_path: Path) -> None:
    check = Check(ok=False, detail={"error": "no broker"})
    health = Health(ready=False, checks={"relay": check, "sign_in": Check(ok=True)})
    async with beating(database.relay, health, instance="relay-1", disk=tmp_path):
        await wait_until(lambda: told(database))
        ((instance, name, word, reason, state),) = told(database)
        assert (instance, name, word, reason) == ("relay-1", "relay", "not_ready", "relay: no broker")
        assert state["checks"]["relay"] == check.as_json()
        assert 0 < state["disk"]["free"] <= state["disk"]["total"]
        with psycopg.connect(database.owner, autocommit=True) as connection:
            sampled = "SELECT FROM operations.samples, operations.sizes"
            await wait_until(lambda: connection.execute(sampled).fetchall())
    await wait_until(lambda: [word for _, _, word, *_ in told(database)] == ["ended"])


async def test_who_ends_late_says_nothing_of_its_successor(database: Database) -> None:
    well = Health(ready=True, checks={})
    async with beating(database.relay, well, instance="relay-1"):
        await wait_until(lambda: told(database))
        with psycopg.connect(database.owner, autocommit=True) as connection:
            connection.execute("UPDATE operations.services SET process = gen_random_uuid()")
    assert [word for _, _, word, *_ in told(database)] == ["ready"]


async def test_a_database_that_is_away_is_tried_again_and_awaited_by_nobody() -> None:
    away = f"postgresql://relay@127.0.0.1:{free_port()}/fleetlog"
    async with beating(away, Health(ready=True, checks={}), disk=Path("/nowhere")):
        pass
