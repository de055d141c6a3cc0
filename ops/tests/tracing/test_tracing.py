"""That a change can be followed from the request to the read table, and that only who asks for it pays."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence

import httpx
import psycopg
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ops.base.tracing import is_wanted, span, tracing
from ops.testing.postgres import Database
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.product.fields import MARK
from ops.testing.service_process import service_environment, service_process
from ops.testing.span_receiver import SpanReceiver
from ops.testing.token_issuer import TokenIssuer

TRACE_ID, CLIENT_SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE_ID}-{CLIENT_SPAN}-01"


@pytest.fixture
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


def signed_in(issuer: TokenIssuer, address: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    return httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=60)


@pytest.mark.integration
async def test_one_command_can_be_followed_through_request_append_and_projections(
    database: Database, issuer: TokenIssuer
) -> None:
    body = {"id": "EMP-7", **usual_body("driver", name=f"{MARK} Kumar").sent}
    with SpanReceiver() as receiver:
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
    assert (outcome.parent_id, outcome.attributes) == (refused.span_id, {}), "kept for who sends it again"

    with psycopg.connect(database.owner) as connection:
        rows = connection.execute("SELECT traceparent FROM read.revisions ORDER BY position").fetchall()
    (registered,), (removed_by,) = rows
    assert registered == f"00-{TRACE_ID}-{request.span_id}-01"
    assert removed_by.startswith(f"00-{TRACE_ID}-")
    assert removed_by.endswith("-00"), "whoever does not record a trace is heeded"

    projected = {one.name: one for one in receiver.spans if one.service == "fleet-workers"}
    assert set(projected) == {
        f"project {table}" for table in ("drivers", "trailers", "horses", "locations", "revisions")
    }
    for one in projected.values():
        assert (one.kind, one.links) == ("CONSUMER", frozenset({(TRACE_ID, request.span_id)}))
    assert projected["project drivers"].attributes["fleetlog.first_position"] == 1

    assert MARK.encode() not in receiver.raw
    assert issuer.claims()["sub"].encode() not in receiver.raw


@pytest.mark.integration
async def test_a_receiver_that_never_answers_holds_up_no_request(
    database: Database, issuer: TokenIssuer
) -> None:
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
            assert answered > 3, "while it was tried to send the first one's span"


STUCK_SECONDS = 100


class StuckExporter(SpanExporter):
    """Sends nothing until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.let_go.wait(STUCK_SECONDS)
        return SpanExportResult.FAILURE


async def test_a_service_that_stops_waits_for_its_last_spans_for_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exporter = StuckExporter()
    monkeypatch.setattr("ops.base.span_export.OTLPSpanExporter", lambda: exporter)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    async with tracing("test"):
        with span("work") as made:
            assert made.traceparent
        began = time.monotonic()
    assert time.monotonic() - began < STUCK_SECONDS / 2
    exporter.let_go.set()


def test_without_an_endpoint_nothing_of_the_exporter_is_imported() -> None:
    program = """
import sys
import command_api.app, query_api.app, projections.worker.process, projections.relay.service
packages = {name.partition(".")[0] for name in sys.modules}
print(packages & {"google", "requests"}, "opentelemetry.sdk" in sys.modules)
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert output.stdout == "set() False\n"


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "fleet"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_standard_variables_say_whether_to_trace(variables: dict[str, str], *, wanted: bool) -> None:
    assert is_wanted(variables) == wanted
