"""Services as processes: unknown schemas, a blocked event loop, and traces."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import psycopg
import pytest

from ops.base.database.schema import REVISION, UnknownSchema, require_known_schema
from ops.base.process import failpoints
from ops.base.records.operations import PROJECTIONS
from ops.launcher.instance.record import ProcessRecord
from ops.launcher.paths import PYTHON
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.spec import answers_ok
from ops.launcher.processes.supervisor import Supervisor
from ops.launcher.services import DATABASE_SERVICES, service_spec
from ops.testing.conditions import wait_until
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.product.fields import MARK
from ops.testing.service_process import service_environment, service_process
from ops.testing.span_receiver import span_receiver
from ops.testing.token_issuer import TokenIssuer

HORSE = {"chassis_number": "MAT448061", "engine_number": "ISBE5921", "identifier": "Prima 4928"}
TRACE_ID, CLIENT_SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE_ID}-{CLIENT_SPAN}-01"

ROLES = {
    "command_api": "command",
    "query_api": "query",
    "projections run": "projections",
    "projections notify": "notify",
    "projections relay": "relay",
    "projections status": "projections",
}
START_SECONDS = 120
"""Usually 2; more on a machine that has a lot else to do."""


def start(command: str, dsn: str, **more: str) -> "subprocess.Popen[str]":
    nowhere = {"FLEETLOG_ISSUER": "https://127.0.0.1:1/", "FLEETLOG_KAFKA_SERVERS": "127.0.0.1:1"}
    environment = {**nowhere, "FLEETLOG_AUDIENCE": "test", "FLEETLOG_DATABASE": dsn, **more}
    return subprocess.Popen(
        [*PYTHON, *command.split()], env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True
    )


def last_words(processes: Mapping[str, "subprocess.Popen[str]"]) -> dict[str, str]:
    """Return the last line of each process; all have ended with status 1."""
    try:
        said = {name: process.communicate(timeout=START_SECONDS)[1] for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()
    assert {process.returncode for process in processes.values()} == {1}
    return {name: text.splitlines()[-1] for name, text in said.items()}


TOO_OLD = f"and this version needs {REVISION}: run migrate first"
TOO_NEW = (
    f"which serves versions from 8999 on, and this one knows {REVISION}:"
    " this version is too old for the database, run a newer one"
)


@pytest.mark.parametrize(
    ("change", "output", "commands"),
    [
        (
            "TRUNCATE log.schema_revisions; INSERT INTO log.schema_revisions VALUES ('0000', '0000')",
            f"0000, {TOO_OLD}",
            list(ROLES),
        ),
        # All services call one function; the case above shows that each of them calls it.
        ("INSERT INTO log.schema_revisions VALUES ('9000', '8999')", f"9000, {TOO_NEW}", ["command_api"]),
    ],
    ids=["older", "newer"],
)
def test_services_do_not_start_on_an_unknown_schema(
    database: Database, change: str, output: str, commands: list[str]
) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute(change)
    processes = {name: start(name, getattr(database, ROLES[name])) for name in commands}
    expected = f"Not possible: the database's schema has revision {output}"
    assert last_words(processes) == dict.fromkeys(commands, expected)


async def test_schema_without_revision_is_too_old(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("DROP TABLE log.schema_revisions CASCADE")
    with pytest.raises(UnknownSchema, match=f"none, {TOO_OLD}"):
        await require_known_schema(database.query)


async def test_service_accepts_a_newer_compatible_schema(
    database: Database,
) -> None:
    ports = [free_port(), free_port()]
    first = start("query_api", database.query, FLEETLOG_PORT=str(ports[0]))
    try:
        await wait_until(lambda: answers_ok(ports[0], "/livez"), seconds=START_SECONDS)
        with psycopg.connect(database.owner) as connection:
            connection.execute("INSERT INTO log.schema_revisions VALUES ('9000', %s)", [REVISION])
        second = start("query_api", database.query, FLEETLOG_PORT=str(ports[1]))
        try:
            await wait_until(lambda: answers_ok(ports[1], "/livez"), seconds=START_SECONDS)
            assert (first.poll(), second.poll()) == (None, None)
        finally:
            second.terminate()
            second.communicate()
    finally:
        first.terminate()
        first.communicate()


async def test_schema_is_checked_after_an_outage(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("INSERT INTO log.schema_revisions VALUES ('9000', '9000')")
    async with faulty_network(database.query) as (network, dsn):
        network.fall_silent()
        port = free_port()
        service = start("query_api", dsn, FLEETLOG_PORT=str(port))
        try:
            await wait_until(lambda: answers_ok(port, "/livez"), seconds=START_SECONDS)
            network.heal()
            await wait_until(lambda: service.poll() is not None, seconds=START_SECONDS)
        finally:
            service.kill()
            said = service.communicate()[1]
    assert service.returncode == -signal.SIGTERM
    assert "this version is too old for the database" in said


async def test_blocked_service_is_restarted(database: Database, tmp_path: Path) -> None:
    (service,) = [one for one in DATABASE_SERVICES if one.name == "command-api"]
    said: list[str] = []
    records: dict[str, ProcessRecord] = {}
    supervisor = Supervisor(tmp_path, notify=said.append, on_change=records.update)
    with TokenIssuer() as issuer:
        environment = {
            **service_environment(service.name, database, issuer),
            "FLEETLOG_PORT": str(free_port()),
            "FLEETLOG_STALL_SECONDS": "4",
            failpoints.SETTING: "command.answered:2:stall",
        }
        spec = service_spec(service, environment)
        headers = {"Authorization": f"Bearer {issuer.token()}"}
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{spec.port}", headers=headers, trust_env=False, timeout=60
        ) as client:
            try:
                await supervisor.start([spec])
                before = records[spec.name].pid
                assert (await client.post("/api/v1/horses", json=HORSE)).status_code == 201
                with pytest.raises(httpx.HTTPError):
                    await client.post("/api/v1/horses", json=HORSE)
                await wait_until(lambda: f"{spec.name} is back" in said)
                assert f"{spec.name} ended with status 1; restarting it" in said[0]
                assert records[spec.name].pid not in {0, before}
                assert (await client.post("/api/v1/horses", json=HORSE)).status_code == 201
            finally:
                await supervisor.stop()
    output = (tmp_path / f"{spec.name}.log").read_text()
    assert "Timeout" in output
    assert "in reached" in output
    assert HORSE["chassis_number"] not in output


@pytest.fixture
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


def signed_in(issuer: TokenIssuer, address: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    return httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=60)


async def test_one_command_can_be_followed_through_request_append_and_projections(
    database: Database, issuer: TokenIssuer
) -> None:
    body = {"id": "EMP-7", **usual_body("driver", name=f"{MARK} Kumar").sent}
    with span_receiver() as receiver:
        command, worker = (
            service_environment(name, database, issuer) | receiver.environment
            for name in ("command-api", "projections")
        )
        worker["OTEL_SERVICE_NAME"] = "fleet-workers"
        async with (
            service_process("command-api", command) as service,
            service_process("projections", worker),
            signed_in(issuer, service.address) as client,
        ):
            sent = {"traceparent": TRACEPARENT, "X-Change-Reason": MARK, "Idempotency-Key": MARK}
            assert (await client.post(PATHS["driver"], json=body, headers=sent)).status_code == 201
            again = {**sent, "Idempotency-Key": "another"}
            assert (await client.post(PATHS["driver"], json=body, headers=again)).status_code == 409
            not_sampled = TRACEPARENT[:-1] + "0"
            removed = await client.delete(PATHS["driver"] + "/EMP-7", headers={"traceparent": not_sampled})
            assert removed.status_code == 204
            receiver.wait_for(lambda spans: len([one for one in spans if one.links]) >= 5)

    request, refused = (one for one in receiver.spans if one.kind == "SERVER")
    assert (request.service, request.name) == ("fleetlog-command-api", "POST /api/v1/drivers")
    assert (request.trace_id, request.parent_id) == (TRACE_ID, CLIENT_SPAN)
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "/api/v1/drivers",
        "http.response.status_code": 201,
    }
    assert (refused.attributes["http.response.status_code"], refused.failed) == (409, False)

    append, conflict, outcome = (one for one in receiver.spans if one.name == "append")
    assert (append.trace_id, append.parent_id) == (TRACE_ID, request.span_id)
    assert append.attributes == {"fleetlog.position": 1}
    assert (conflict.parent_id, conflict.attributes) == (refused.span_id, {"error.type": "VersionConflict"})
    assert (outcome.parent_id, outcome.attributes) == (refused.span_id, {}), "stored for retries"

    with psycopg.connect(database.owner) as connection:
        rows = connection.execute("SELECT traceparent FROM read.revisions ORDER BY position").fetchall()
    (registered,), (removed_by,) = rows
    assert registered == f"00-{TRACE_ID}-{request.span_id}-01"
    assert removed_by.startswith(f"00-{TRACE_ID}-")
    assert removed_by.endswith("-00"), "an unsampled trace stays unsampled"

    projected = {one.name: one for one in receiver.spans if one.service == "fleet-workers"}
    assert set(projected) == {f"project {table}" for table in PROJECTIONS}
    for one in projected.values():
        assert (one.kind, one.links) == ("CONSUMER", frozenset({(TRACE_ID, request.span_id)}))
    assert projected["project drivers"].attributes["fleetlog.first_position"] == 1

    assert MARK.encode() not in receiver.raw
    assert issuer.claims()["sub"].encode() not in receiver.raw


async def test_unresponsive_receiver_delays_no_request(database: Database, issuer: TokenIssuer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment = service_environment("command-api", database, issuer) | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "4",
            "OTEL_BSP_SCHEDULE_DELAY": "10",
            "NO_PROXY": "127.0.0.1",
        }
        async with (
            service_process("command-api", environment) as service,
            signed_in(issuer, service.address) as client,
        ):
            answered = 0
            while 'spans_total{outcome="lost"} 0.0' in (await client.get("/metrics")).text:
                answer = await client.post(PATHS["horse"], json=usual_body("horse").sent)
                assert answer.status_code == 201
                answered += 1
            assert answered > 3, "while the export of the first span was retried"
