"""What can be seen from outside, what never may, and the headers that protect browsers on every answer."""

import http.client
import json
from dataclasses import dataclass, field
from http.client import HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from ops.launcher.instance.sign_in import CLIENT_ID
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, read_problem
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.fields import ENTITIES, MARK
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


SERVICES = ("command-api", "query-api", "projections")
REQUEST_ID = "6F9619FF-8B86-4D01-B42D-00C04FC964FF"
FOR_EVERYBODY = ("/api/v1/schemas", "/api/v1/schemas/{type_name}.json", "/api/v1/asyncapi.json")
"""What needs no sign-in."""
OF_ONESELF = ("/api/v1/me", "/api/v1/views", "/api/v1/views/{view_id}")
JSON = {"application/json", "application/schema+json", "application/cloudevents-batch+json"}


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


@pytest.mark.parametrize("service", SERVICES)
def test_the_operator_reaches_them_on_the_services_own_port(
    stack: Stack, client: Client, service: str
) -> None:
    inside = stack.part_address(service)
    assert client.http.get(f"{inside}/livez").json() == {"status": "ok"}
    assert client.http.get(f"{inside}/readyz").json()["status"] == "ok"
    assert "# TYPE" in client.http.get(f"{inside}/metrics").text


def test_each_api_documents_its_own_half(client: Client) -> None:
    """Which paths these are: test_permission_matrix.py."""
    for document, methods in zip(client.documents, ({"post", "put", "delete"}, {"get"}), strict=True):
        assert document["openapi"].startswith("3.1.")
        assert {method for method, _, _ in operations(document)} == methods
    ids = [one["operationId"] for document in client.documents for _, _, one in operations(document)]
    assert len(ids) == len(set(ids))


def test_every_operation_documents_its_errors_and_shows_an_example(client: Client) -> None:
    for document in client.documents:
        for method, path, operation in operations(document):
            responses = operation["responses"]
            errors = {status for status in responses if status[0] not in "23"}
            if path == BACK_CHANNEL_LOGOUT:  # the protocol's, not ours
                assert errors == {"400", "413", "503"}
                continue
            of_oneself = path in OF_ONESELF
            expected = {"401", "429", "503"} | ({"422"} if method != "get" and not of_oneself else set())
            expected |= {"403"} if not of_oneself else set()
            if path in FOR_EVERYBODY:
                expected = set()
            if path.endswith("{entity_id}"):
                expected |= {"404"}
            if method in ("put", "delete") and not of_oneself:
                expected |= {"412"}
            if method in ("put", "post"):
                expected |= {"413", "415"}
                assert "example" in operation["requestBody"]["content"]["application/json"]
            assert expected <= errors, (method, path)
            for status in errors:
                assert set(responses[status]["content"]) == {"application/problem+json"}, (
                    method,
                    path,
                    status,
                )
            if method != "delete":
                (success,) = (responses[status] for status in responses if status in ("200", "201", "202"))
                kinds = success["content"].keys()
                (media,) = (success["content"][kind] for kind in JSON & kinds or kinds)
                assert media.keys() & {"example", "examples"}, (method, path)


def log_files(stack: Stack) -> list[Path]:
    return [*(stack.data / "logs").iterdir(), stack.data.parent / "launcher.log"]


def log_of(stack: Stack, service: str) -> list[dict[str, Any]]:
    """What a service has logged so far; a line that it is about to write is not there yet."""
    whole, _, _ = (stack.data / "logs" / f"{service}.log").read_text().rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]


def send_all_kinds_of_requests(client: Client, actor: Actor, entity: str) -> None:
    """Good and bad ones, each with the mark wherever a client can put something."""
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


def test_logs_hold_nothing_of_what_was_sent_nor_who_sent_it(
    stack: Stack, client: Client, asha: Actor
) -> None:
    """Whatever all tests of this run have sent: good, bad, hostile, and while parts were killed."""
    for entity in ENTITIES:
        send_all_kinds_of_requests(client, asha, entity)
    signature = asha.token.rpartition(".")[2]
    for file in log_files(stack):
        text = file.read_text()
        for secret in (MARK, asha.name, signature):
            assert secret not in text, file.name


def test_logs_name_each_request_by_its_id_in_lines_of_json(stack: Stack, client: Client, asha: Actor) -> None:
    send_all_kinds_of_requests(client, asha, "horse")
    for service in SERVICES:
        assert {line["service"] for line in log_of(stack, service)} == {service}
    (output, *_) = (
        line for line in log_of(stack, "command-api") if line.get("client_request_id") == REQUEST_ID
    )
    assert output.items() >= {"method": "POST", "status": 201}.items()


EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",  # signing in may open a window
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
REFERRER_POLICIES = ("strict-origin-when-cross-origin", "same-origin")
NOBODY = "/api/v1/drivers/NOBODY"


@dataclass(frozen=True)
class Case:
    """A request; its answer has this status."""

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
    Case(404, "GET", NOBODY, signed_in=True),
    Case(405, "PATCH", NOBODY, signed_in=True),
    Case(404, "DELETE", NOBODY, signed_in=True),
    Case(422, "POST", "/api/v1/drivers", signed_in=True, body=b"{"),
    Case(413, "POST", "/api/v1/drivers", signed_in=True, body=b"x" * 300_000),
    # what nginx refuses
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
def test_every_kind_of_answer_is_protected(stack: Stack, asha: Actor, case: Case) -> None:
    status, headers = answer_to(stack, case, asha)

    assert status == case.status
    assert {name: headers.get_all(name) for name in EVERYWHERE} == {
        name: [value] for name, value in EVERYWHERE.items()
    }
    (referrer_policy,) = headers.get_all("Referrer-Policy", [])
    assert referrer_policy in REFERRER_POLICIES
    (policy,) = headers.get_all("Content-Security-Policy", [])
    directives = {words[0]: words[1:] for words in map(str.split, policy.split(";")) if words}
    scripts = directives.get("script-src", directives["default-src"])
    assert scripts in (["'self'"], ["'none'"]), "no script inline, none from elsewhere"
    assert directives["frame-ancestors"] == ["'none'"]
    assert directives["base-uri"] in (["'self'"], ["'none'"])


def test_only_the_silent_login_may_be_framed_and_by_the_product_alone(stack: Stack, asha: Actor) -> None:
    silent = {
        "client_id": CLIENT_ID,
        "redirect_uri": stack.address,
        "response_type": "code",
        "response_mode": "web_message",
        "prompt": "none",
        "scope": "openid",
        "state": "any",
        "code_challenge": "x" * 43,
        "code_challenge_method": "S256",
    }
    status, headers = answer_to(stack, Case(200, "GET", f"/authorize?{urlencode(silent)}"), asha)

    assert status == 200
    assert "X-Frame-Options" not in headers
    (policy,) = headers.get_all("Content-Security-Policy", [])
    assert policy.endswith(f"frame-ancestors {stack.address}")


def answer_to(stack: Stack, case: Case, actor: Actor) -> tuple[int, HTTPMessage]:
    given = {"Content-Type": "application/json"} if case.body else {}
    if case.signed_in:
        given["Authorization"] = f"Bearer {actor.token}"
    connection = http.client.HTTPConnection("localhost", stack.port, timeout=60)
    try:
        connection.request(case.method, case.path, body=case.body, headers={**given, **case.headers})
        answer = connection.getresponse()
        return answer.status, answer.headers
    finally:
        connection.close()
