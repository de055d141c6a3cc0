"""The status of the system, from heartbeats and the database."""

import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import psycopg
import pytest
from query_api_testing.operations import Processes, leading
from query_api_testing.served import until

from ops.base.database.schema import REVISION
from ops.base.observability.metrics import FAST_BUCKETS
from ops.base.process import heartbeat, sampling
from ops.base.process.sampling import BUCKETS, STEP_SECONDS
from ops.base.records.operations import PROJECTIONS
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.system.status import p99_ms
from read_model.lock_keys import NAMESPACE, rebuild_key
from read_model.tables import ENTITY_TABLES, READ_TABLES

SYSTEM = "/api/v1/system"


@pytest.fixture(scope="module")
async def client(
    module_database: Database, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of one query API for all tests, without the samples of other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "_samples", defaultdict(sampling.Samples))
        patch.setattr(heartbeat, "BEAT_SECONDS", 0.2)
        async with (
            serve(build_app(settings_with(database=module_database.query))) as origin,
            httpx.AsyncClient(
                base_url=origin,
                headers={"Authorization": f"Bearer {issuer.token()}"},
                trust_env=False,
                timeout=60,
            ) as client,
        ):
            yield client


@pytest.fixture
def unled(module_database: Database) -> Iterator[Processes]:
    """Healthy heartbeats without a leader."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        processes = Processes(connection)
        processes.clear()
        processes.all_is_well()
        yield processes
        processes.clear()


@pytest.fixture
def processes(module_database: Database, unled: Processes) -> Iterator[Processes]:
    """Healthy heartbeats with leaders."""
    with leading(module_database.projections):
        yield unled


async def read_status(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get(SYSTEM)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    status: dict[str, Any] = answer.json()
    state = (await client.get(f"{SYSTEM}/state")).json()
    assert state == {"state": status["state"]}
    return status


def alert_names(status: dict[str, Any]) -> set[str]:
    return {alert["name"] for alert in status["alerts"]}


async def test_no_alert_while_all_is_well(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.worker(role="standby", instance="projections-2")
    status = await read_status(client)
    assert (status["state"], status["alerts"]) == ("well", [])
    assert status["schema_revision"] == REVISION
    services = {one["instance"]: one for one in status["services"]}
    assert services["command-api-1"]["health"] == services["projections-1"]["health"] == "ready"
    assert [one["name"] for one in status["projections"]] == [table.name for table in READ_TABLES]
    for one in status["projections"]:
        assert (one["state"], one["leader"], one["standby"]) == ("following", "projections-1", 1)
        assert (one["lag_events"], one["lag_seconds"], one["rebuild"]) == (0, 0.0, None)
    assert status["relay"] == {
        "state": "off",
        "position": 0,
        "lag_events": 0,
        "lag_seconds": 0.0,
        "seen_at": None,
    }
    assert status["seal"] == {"position": 3, "at": "2025-11-24T16:00:00.000Z", "lag_events": 0}
    assert (status["verification"], status["backup"], status["actions"]) == (None, None, [])
    assert status["storage"]["database_bytes"] > 0
    assert status["storage"]["disk_free_bytes"] is None


async def test_query_api_reports_itself(
    client: httpx.AsyncClient,
) -> None:
    await client.get("/api/v1/drivers")

    status = (await until(client, SYSTEM, lambda answer: bool(answer.json()["services"]))).json()
    name = f"query-api-{socket.gethostname()}"
    (service,) = (one for one in status["services"] if one["instance"] == name)
    assert service["name"] == "query-api"
    assert len(status["samples"]["reads"]) == 24 * 3600 // STEP_SECONDS
    await until(client, SYSTEM, lambda answer: answer.json()["samples"]["reads"][-1] is not None)
    await until(client, SYSTEM, lambda answer: answer.json()["storage"]["log_bytes"] > 0)


async def test_quarantined_record(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.connection.execute(
        "INSERT INTO read.quarantined_streams (projection, originator_id, position, error)"
        " VALUES ('drivers', 'driver:EMP-1', 17, 'driver.unknown, version 3: UnreadableEvent')"
    )
    status = await read_status(client)
    assert (status["state"], status["set_aside_total"]) == ("wrong", 1)
    (aside,) = status["set_aside"]
    assert {
        name: aside[name] for name in ("projection", "entity_type", "entity_id", "position", "cause")
    } == {
        "projection": "drivers",
        "entity_type": "driver",
        "entity_id": "EMP-1",
        "position": 17,
        "cause": "driver.unknown, version 3: UnreadableEvent",
    }
    (alert,) = status["alerts"]
    assert alert["summary"] == "1 record of drivers quarantined, shown in the former state"
    assert (alert["name"], alert["severity"], alert["since"], alert["runbook"]) == (
        *("FleetlogQuarantined", "page", aside["since"]),
        "fleetlogquarantined",
    )
    assert next(one for one in status["projections"] if one["name"] == "drivers")["set_aside"] == 1


async def test_running_rebuild(
    client: httpx.AsyncClient, processes: Processes, module_database: Database
) -> None:
    drivers = next(table for table in ENTITY_TABLES if table.name == "drivers")
    processes.connection.execute(
        "INSERT INTO read.positions (projection, position, changed_position, version)"
        " VALUES ('drivers_next', 7, 0, 1)"
    )
    with psycopg.connect(module_database.projections, autocommit=True) as rebuilding:
        rebuilding.execute("SELECT pg_try_advisory_lock(%s, %s)", (NAMESPACE, rebuild_key(drivers)))
        status = await read_status(client)
    one = next(one for one in status["projections"] if one["name"] == "drivers")
    assert (one["state"], one["rebuild"]) == ("rebuilding", {"done": 7, "total": 0})
    assert status["state"] == "well"


async def test_projection_without_a_leader(client: httpx.AsyncClient, unled: Processes) -> None:
    status = await read_status(client)
    assert {one["state"] for one in status["projections"]} == {"stopped"}
    assert "FleetlogProjectionNotLed" not in alert_names(status)  # a standby has a minute to take over
    unled.worker(silent=70)
    status = await read_status(client)
    assert status["state"] == "wrong"
    assert {"FleetlogProjectionNotLed", "FleetlogServiceDown"} <= alert_names(status)


async def test_lagging_projection(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.connection.execute("INSERT INTO log.events VALUES (1, 'driver:1', 1, 'topic', '', now())")
    behind = {"role": "leading", "error": None, "head": 1, "lag_seconds": 9.0}
    checks = {table.name: {"ok": True, "detail": behind} for table in READ_TABLES}
    processes.report("projections", checks)
    status = await read_status(client)
    assert all(one["lag_events"] == 1 and one["lag_seconds"] >= 9 for one in status["projections"])
    assert "FleetlogProjectionLags" in alert_names(status)
    processes.connection.execute(
        "INSERT INTO read.positions (projection, position, changed_position, version)"
        " SELECT unnest(%s::text[]), 1, 0, 1",
        ([*PROJECTIONS],),
    )
    status = await read_status(client)
    assert all(one["lag_events"] == one["lag_seconds"] == 0 for one in status["projections"])


@pytest.mark.parametrize(
    ("say", "state"),
    [
        (lambda processes: processes.relay(), "publishing"),
        (lambda processes: processes.relay(error="Kafka at kafka:9092: NoBrokersAvailable"), "stopped"),
        (lambda processes: processes.relay(role="standby"), "stopped"),
        (lambda processes: processes.relay(silent=100), "stopped"),
        (lambda processes: processes.relay(health="ended"), "off"),
    ],
)
async def test_relay(
    client: httpx.AsyncClient, processes: Processes, say: Callable[[Processes], None], state: str
) -> None:
    say(processes)
    status = await read_status(client)
    assert status["relay"]["state"] == state
    assert ("FleetlogRelayNotLed" in alert_names(status)) is (state == "stopped")
    if state != "off":
        assert (status["relay"]["position"], status["relay"]["lag_events"]) == (2, 3)
    assert ("FleetlogRelayLags" in alert_names(status)) is (status["relay"]["lag_seconds"] > 60)


async def test_erasure_without_a_receipt(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.connection.execute(
        "INSERT INTO read.revisions"
        " (position, entity, entity_id, version, type, moment, changes, public_event)"
        " VALUES (1, 'driver', 'a', 3, 'driver.erased', now() - interval '11 minutes', '{}', '{}')"
    )
    assert alert_names(await read_status(client)) == {"FleetlogErasureWaits"}
    processes.connection.execute(
        "INSERT INTO privacy.erasures VALUES ('driver', 'a', 3, 1, '{}', 'a receipt', now())"
    )
    assert alert_names(await read_status(client)) == set()


async def test_failed_verification(client: httpx.AsyncClient, processes: Processes) -> None:
    words = "THE LOG DOES NOT MATCH ITS SEALS: the event at position 7 was changed"
    processes.connection.execute(
        "INSERT INTO operations.verifications (ok, words) VALUES (false, %s)", (words,)
    )
    status = await read_status(client)
    assert (status["verification"]["ok"], status["verification"]["words"]) == (False, words)
    assert alert_names(status) == {"FleetlogSealsDoNotFit"}
    processes.connection.execute("INSERT INTO operations.verifications (ok, words) VALUES (true, 'all')")
    assert alert_names(await read_status(client)) == set()


async def test_missing_services(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.report("command-api", instance="command-api-2", silent=400)
    processes.report("query-api", instance="query-api-2", health="ended", silent=400)
    status = await read_status(client)
    health = {one["instance"]: one["health"] for one in status["services"]}
    assert health["command-api-2"] == "gone"
    assert "query-api-2" not in health
    assert [(one["name"], one["summary"]) for one in status["alerts"]] == [
        (
            "FleetlogInstanceDown",
            "An instance of fleetlog-command-api does not answer, or is gone: command-api-2",
        )
    ]
    processes.report("command-api", silent=70)
    status = await read_status(client)
    assert (status["state"], alert_names(status)) == (
        "wrong",
        {"FleetlogInstanceDown", "FleetlogServiceDown"},
    )


async def test_backups(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.connection.execute("UPDATE log.schema_revisions SET applied = now() - interval '31 hours'")
    status = await read_status(client)
    assert (status["state"], alert_names(status)) == ("watch", {"FleetlogBackupOld"})
    processes.connection.execute("INSERT INTO operations.backups (bytes, place) VALUES (123, '/backups/1')")
    status = await read_status(client)
    assert (status["backup"]["bytes"], status["backup"]["where"]) == (123, "/backups/1")
    assert 0 <= status["backup"]["age_seconds"] < 3600
    assert status["alerts"] == []


@pytest.mark.parametrize(
    ("free", "alerts"),
    [(50, set()), (10, {"FleetlogDiskFills"}), (4, {"FleetlogDiskFills", "FleetlogDiskFull"})],
)
async def test_disk_space(
    client: httpx.AsyncClient, processes: Processes, free: int, alerts: set[str]
) -> None:
    processes.report("command-api", disk={"free": free, "total": 100})
    status = await read_status(client)
    assert (status["storage"]["disk_free_bytes"], status["storage"]["disk_total_bytes"]) == (free, 100)
    assert alert_names(status) == alerts


async def test_growth_per_day(client: httpx.AsyncClient, processes: Processes) -> None:
    assert (await read_status(client))["storage"]["growth_bytes_per_day"] is None
    processes.connection.execute(
        "INSERT INTO operations.sizes"
        " SELECT now() - interval '2 hours', pg_database_size(current_database()) - 1000, 11, 12"
    )
    storage = (await read_status(client))["storage"]
    assert storage["growth_bytes_per_day"] == pytest.approx(12_000, rel=0.5, abs=500_000)


async def test_samples_of_a_day(client: httpx.AsyncClient, processes: Processes) -> None:
    now = int(datetime.now(UTC).timestamp()) // STEP_SECONDS * STEP_SECONDS
    fast = [*([0] * 3), *([100] * (BUCKETS - 3))]
    for process in ("0" * 32, "1" * 32):
        processes.connection.execute(
            "SELECT operations.sample(%s, to_timestamp(%s), 60, 40, 5, 4, %s)",
            (process, now - 2 * STEP_SECONDS, fast),
        )
    status = await read_status(client)
    samples = status["samples"]
    began = datetime.fromisoformat(samples["from"])
    step = round((datetime.fromtimestamp(now, UTC) - began) / timedelta(seconds=STEP_SECONDS)) - 2
    assert (samples["commands"][step], samples["reads"][step], samples["refusals"][step]) == (120, 80, 10)
    assert samples["p99_ms"][step] == pytest.approx(1000 * FAST_BUCKETS[3], rel=0.02)
    assert samples["commands"][step - 1] is None
    assert alert_names(status) <= {"FleetlogErrors"}  # of the previous step, if a new one has begun


DEGRADED = {"ok": True, "degraded": True}


@pytest.mark.parametrize(
    ("report", "alert", "summary"),
    [
        (
            lambda it: it.worker(sealing={"error": "the checkpoint of position 3 was changed"}),
            "FleetlogSealsDoNotFit",
            "The log does not match its seals: the checkpoint of position 3 was changed",
        ),
        (lambda it: it.worker(sealing={"unsealed_since": 1_764_000_000.0}), "FleetlogNotSealed", None),
        (lambda it: it.worker(sealing={"role": "standby"}), "FleetlogNotSealed", None),
        (
            lambda it: it.worker(sealing={"away_since": {"https://witness.example": 1_764_000_000.0}}),
            "FleetlogWitnessAway",
            "https://witness.example has not received or stamped checkpoints for an hour",
        ),
        (
            lambda it: it.connection.execute(
                "SELECT operations.sample(gen_random_uuid(), date_bin('5 minutes', now(), 'epoch'),"
                " 600000, 400000, 50000, 50000, %s)",
                ([0] * BUCKETS,),
            ),
            "FleetlogErrors",
            "Fleetlog answers 5.0% of its requests with errors",
        ),
        (
            lambda it: it.report("command-api", {"tasks": {**DEGRADED, "detail": "failed: run (X)"}}),
            "FleetlogTasksFailing",
            "Background tasks of command-api-1 fail repeatedly: failed: run (X)",
        ),
        (
            lambda it: it.report("command-api", {"logging": DEGRADED}),
            "FleetlogLogLinesLost",
            "command-api-1 cannot write its log",
        ),
        (
            lambda it: it.report("query-api", {"replica": DEGRADED}),
            "FleetlogReplicaUnfit",
            "query-api-1 cannot use its read replica, so it reads from the primary",
        ),
        (
            lambda it: it.report("command-api", {"clock": {"ok": False, "detail": "it jumped"}}),
            "FleetlogClockJumped",
            "Changes are refused because a clock is wrong: it jumped",
        ),
    ],
)
async def test_alerts(
    client: httpx.AsyncClient,
    processes: Processes,
    report: Callable[[Processes], object],
    alert: str,
    summary: str | None,
) -> None:
    report(processes)
    (one,) = (await read_status(client))["alerts"]
    assert one["name"] == alert
    assert summary is None or one["summary"].startswith(summary)


async def test_status_is_readable_while_the_log_is_stopped(
    client: httpx.AsyncClient, processes: Processes
) -> None:
    processes.connection.execute("UPDATE log.identity SET stopped = 'restored'")
    await until(client, "/api/v1/drivers", lambda answer: answer.status_code == 503)
    (alert,) = (await read_status(client))["alerts"]
    assert (alert["name"], alert["summary"].rpartition(": ")[2]) == ("FleetlogLogStopped", "restored")


async def test_requested_actions(client: httpx.AsyncClient, processes: Processes) -> None:
    processes.connection.execute(
        "SELECT operations.ask(gen_random_uuid(), 'rebuild', 'drivers', 'dev|omar', 'Omar', 'r')"
    )
    (action,) = (await read_status(client))["actions"]
    assert {name: action[name] for name in ("kind", "target", "asked_by", "state", "done", "words")} == {
        "kind": "rebuild",
        "target": "drivers",
        "asked_by": "dev|omar",
        "state": "asked",
        "done": None,
        "words": None,
    }


def test_rebuildable_projections_are_the_read_tables() -> None:
    assert {table.name for table in READ_TABLES} == {*PROJECTIONS}


def test_99th_percentile_of_latencies() -> None:
    assert p99_ms([0] * BUCKETS) is None
    assert p99_ms([*([0] * (BUCKETS - 1)), 5]) == 1000 * FAST_BUCKETS[-1]
    assert p99_ms([100] * BUCKETS) == pytest.approx(0.99 * 1000 * FAST_BUCKETS[0], abs=0.01)
