"""The headers that protect browsers, on every kind of answer (OWASP's HTTP headers cheat sheet)."""

import http.client
from dataclasses import dataclass, field
from http.client import HTTPMessage
from urllib.parse import urlencode

import pytest

from ops.launcher.instance.sign_in import CLIENT_ID
from ops.testing.product.exchanges import Actor
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

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
