"""Public routes, documented errors, logs without submitted data, and security headers on every answer."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ops.testing.gateway import Answer, Gateway
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, read_problem
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.fields import ENTITIES, MARK
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


SERVICES = ("command-api", "query-api", "projections", "notify")
REQUEST_ID = "6F9619FF-8B86-4D01-B42D-00C04FC964FF"
PUBLIC = ("/api/v1/schemas", "/api/v1/schemas/{type_name}.json", "/api/v1/asyncapi.json")
"""Paths without authorization."""
OWN = ("/api/v1/me", "/api/v1/views", "/api/v1/views/{view_id}")
JSON = {"application/json", "application/schema+json", "application/cloudevents-batch+json"}


def test_every_operation_documents_its_errors_and_shows_an_example(client: Client) -> None:
    for (method, path), operation in client.operations.items():
        responses = operation["responses"]
        errors = {status for status in responses if status[0] not in "23"}
        if path == BACK_CHANNEL_LOGOUT:  # prescribed by the protocol
            assert errors == {"400", "413", "503"}
            continue
        own = path in OWN
        expected = {"401", "429", "503"} | ({"422"} if method != "GET" and not own else set())
        expected |= {"403"} if not own else set()
        if path in PUBLIC:
            expected = set()
        if path.endswith("{entity_id}"):
            expected |= {"404"}
        if method in ("PUT", "DELETE") and not own:
            expected |= {"412"}
        if method in ("PUT", "POST"):
            expected |= {"413", "415"}
            assert "example" in operation["requestBody"]["content"]["application/json"]
        assert expected <= errors, (method, path)
        for status in errors:
            assert set(responses[status]["content"]) == {"application/problem+json"}, (method, path, status)
        if method != "DELETE" and "204" not in responses:
            (success,) = (responses[status] for status in responses if status in ("200", "201", "202"))
            kinds = success["content"].keys()
            (media,) = (success["content"][kind] for kind in JSON & kinds or kinds)
            assert media.keys() & {"example", "examples"}, (method, path)


def log_files(stack: Stack) -> list[Path]:
    return [*(stack.data / "logs").iterdir(), stack.data.parent / "launcher.log"]


def log_of(stack: Stack, service: str) -> list[dict[str, Any]]:
    """Return the complete lines of a service's log."""
    lines, _, _ = (stack.data / "logs" / f"{service}.log").read_text().rpartition("\n")
    return [json.loads(line) for line in lines.splitlines()]


def send_all_kinds_of_requests(client: Client, actor: Actor, entity: str) -> None:
    """Send valid and invalid requests with the mark wherever a client can put a text."""
    path, given = PATHS[entity], {"id": f"EXPOSED-{entity}"} if entity == "driver" else {}
    body = usual_body(entity).sending(**given).sent
    created = client.request("POST", path, actor=actor, json=body, headers={"X-Request-Id": REQUEST_ID})
    address = created.headers["location"]
    unread = {"content": f'{{"{MARK}', "headers": {"Content-Type": "application/json"}}
    bad: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", path, {"json": {**body, "nickname": MARK}}),
        ("POST", path, {"json": dict.fromkeys(body, MARK)}),
        ("POST", path, unread),
        ("PUT", address, {"json": body, "headers": {"If-Match": f'"{MARK}"'}}),
        ("PUT", f"{path}/{MARK}", {"json": {name: value for name, value in body.items() if name != "id"}}),
        ("GET", f"{path}/{MARK}", {}),
    ]
    for method, target, more in bad:
        read_problem(client.request(method, target, actor=actor, **more))
    client.http.get(f"{path}?name={MARK}", headers={"Authorization": f"Bearer {MARK}"})
    client.request("DELETE", address, actor=actor, headers={"Idempotency-Key": MARK})


def test_logs_hold_no_submitted_values_names_or_tokens(stack: Stack, client: Client, asha: Actor) -> None:
    """The logs contain the requests of all tests of this session."""
    for entity in ENTITIES:
        send_all_kinds_of_requests(client, asha, entity)
    signature = asha.token.rpartition(".")[2]
    for file in log_files(stack):
        text = file.read_text()
        for secret in (MARK, asha.name, signature):
            assert secret not in text, file.name


def test_logs_are_json_lines_with_request_ids(stack: Stack, client: Client, asha: Actor) -> None:
    send_all_kinds_of_requests(client, asha, "horse")
    for service in SERVICES:
        assert {line["service"] for line in log_of(stack, service)} == {service}
    (output, *_) = (
        line
        for line in log_of(stack, "command-api")
        if line.get("client_request_id") == REQUEST_ID and line["event"] == "request"
    )
    assert output.items() >= {"method": "POST", "status": 201}.items()


EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",  # the sign-in may open a window
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
REFERRER_POLICIES = ("strict-origin-when-cross-origin", "same-origin")
UNKNOWN = "/api/v1/drivers/UNKNOWN"


@dataclass(frozen=True)
class Case:
    """A request and the status of its answer."""

    status: int
    method: str
    path: str
    signed_in: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path[:40]} {self.status}"


REQUESTS = [
    # the frontend
    Case(200, "GET", "/"),
    Case(200, "HEAD", "/"),
    Case(200, "GET", "/management/drivers/EMP-001"),
    Case(404, "GET", "/assets/missing.js"),
    Case(405, "POST", "/"),
    Case(200, "GET", "/config.json"),
    Case(404, "GET", "/metrics"),
    # the APIs
    Case(200, "GET", "/openapi/command.json"),
    Case(200, "GET", "/openapi/query.json"),
    Case(200, "GET", "/api/v1/drivers", signed_in=True),
    Case(200, "GET", "/api/v1/audit?format=csv", signed_in=True),
    Case(200, "GET", "/api/v1/events?format=ndjson", signed_in=True),
    Case(401, "GET", "/api/v1/drivers"),
    Case(404, "GET", UNKNOWN, signed_in=True),
    Case(405, "PATCH", UNKNOWN, signed_in=True),
    Case(404, "DELETE", UNKNOWN, signed_in=True),
    Case(422, "POST", "/api/v1/drivers", signed_in=True, body=b"{"),
    Case(413, "POST", "/api/v1/drivers", signed_in=True, body=b"x" * 300_000),
    # refused by nginx
    Case(413, "POST", "/api/v1/drivers", signed_in=True, body=b"x" * 600_000),
    Case(414, "GET", "/" + "a" * 20_000),
    Case(431, "GET", "/", headers={"X-Long": "a" * 20_000}),
    # the identity provider
    Case(400, "GET", "/authorize"),
    Case(200, "GET", "/.well-known/jwks.json"),
    Case(400, "POST", "/oauth/token"),
    Case(200, "GET", "/idp/style.css"),
    Case(404, "GET", "/idp/nothing"),
]


@pytest.mark.parametrize("case", REQUESTS, ids=str)
def test_every_kind_of_answer_has_security_headers(stack: Stack, asha: Actor, case: Case) -> None:
    answer = answer_to(stack, case, asha)
    headers = answer.headers

    assert answer.status == case.status
    assert {name: headers.get_all(name) for name in EVERYWHERE} == {
        name: [value] for name, value in EVERYWHERE.items()
    }
    (referrer_policy,) = headers.get_all("Referrer-Policy", [])
    assert referrer_policy in REFERRER_POLICIES
    (policy,) = headers.get_all("Content-Security-Policy", [])
    directives = {words[0]: words[1:] for words in map(str.split, policy.split(";")) if words}
    scripts = directives.get("script-src", directives["default-src"])
    assert scripts in (["'self'"], ["'none'"]), "no inline or foreign scripts"
    assert directives["frame-ancestors"] == ["'none'"]
    assert directives["base-uri"] in (["'self'"], ["'none'"])


def answer_to(stack: Stack, case: Case, actor: Actor) -> Answer:
    given = {"Content-Type": "application/json"} if case.body else {}
    if case.signed_in:
        given["Authorization"] = f"Bearer {actor.token}"
    headers = {**given, **case.headers}
    return Gateway(stack.port)(case.path, case.method, body=case.body, headers=headers)
