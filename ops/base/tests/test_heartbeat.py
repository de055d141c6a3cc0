"""Heartbeats report health and the end of a process, also after an outage of the database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from ops.base.http.health import Health, ReadinessCheck
from ops.base.process.heartbeat import Heartbeat
from ops.base.process.tasks import running
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import PATIENCE_SECONDS, wait_until
from ops.testing.postgres import Database


def service_rows(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT instance, name, health, reason, state FROM operations.services ORDER BY instance"
        ).fetchall()


@asynccontextmanager
async def beating(dsn: str, health: Health, **more: Any) -> AsyncIterator[None]:
    async def current_health() -> Health:
        return health

    async with running(
        Heartbeat(dsn, "relay", current_health, last_word_seconds=PATIENCE_SECONDS, **more).run
    ):
        yield


async def test_heartbeat_reports_health_and_end(database: Database, tmp_path: Path) -> None:
    check = ReadinessCheck(ok=False, detail={"error": "no broker"})
    health = Health(ready=False, checks={"relay": check, "sign_in": ReadinessCheck(ok=True)})
    async with beating(database.relay, health, instance="relay-1", disk=tmp_path):
        await wait_until(lambda: service_rows(database))
        ((instance, name, word, reason, state),) = service_rows(database)
        assert (instance, name, word, reason) == ("relay-1", "relay", "not_ready", "relay: no broker")
        assert state["checks"]["relay"] == check.as_json()
        assert 0 < state["disk"]["free"] <= state["disk"]["total"]
        with psycopg.connect(database.owner, autocommit=True) as connection:
            sampled = "SELECT FROM operations.samples, operations.sizes"
            await wait_until(lambda: connection.execute(sampled).fetchall())
    await wait_until(lambda: [word for _, _, word, *_ in service_rows(database)] == ["ended"])


async def test_late_end_does_not_overwrite_the_successor(database: Database) -> None:
    well = Health(ready=True, checks={})
    async with beating(database.relay, well, instance="relay-1"):
        await wait_until(lambda: service_rows(database))
        with psycopg.connect(database.owner, autocommit=True) as connection:
            connection.execute("UPDATE operations.services SET process = gen_random_uuid()")
    assert [word for _, _, word, *_ in service_rows(database)] == ["ready"]


async def test_heartbeat_retries_during_an_outage() -> None:
    away = f"postgresql://relay@127.0.0.1:{free_port()}/fleetlog"
    async with beating(away, Health(ready=True, checks={}), disk=Path("/nowhere")):
        pass
