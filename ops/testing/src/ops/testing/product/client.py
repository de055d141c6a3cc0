"""A strict client of the running product that keeps cookies, as a browser does."""

import base64
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx

from ops.base.http.consistency import CONSISTENCY_HEADER
from ops.base.http.record_etags import RecordETag
from ops.development.identity_provider.tokens import load_or_create_key
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.product.exchanges import PATHS, Actor, Answer, Chosen, Command, canonical, unwrap
from ops.testing.product.fields import MARK
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

_SINGLE = re.compile("({})/[^/]+".format("|".join(PATHS.values())))


class Client:
    """Sends requests through the gateway, and checks that the statuses of their answers are documented.

    Attributes:
        http: the underlying client.
        documents: the OpenAPI documents of the command API and the query API.
        operations: all operations of both, by method and path.
    """

    def __init__(self, stack: Stack) -> None:
        # A command may wait until the complete product was restarted.
        self.http = httpx.Client(base_url=stack.address, timeout=60, trust_env=False)
        self.documents = [
            self.http.get(f"/openapi/{name}.json").raise_for_status().json() for name in ("command", "query")
        ]
        self.operations: dict[tuple[str, str], dict[str, Any]] = {
            (method.upper(), path): operation
            for document in self.documents
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        actor: Actor | None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        """Send a request, and repeat it while its answer is marked as stale, as on a slow machine.

        Args:
            actor: None: an anonymous user.
            more: arguments of httpx.

        Raises:
            TimeoutError: the answers stay stale.
        """
        authorization = {"Authorization": f"Bearer {actor.token}"} if actor else {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            response = self.http.request(method, path, headers={**authorization, **(headers or {})}, **more)
            if CONSISTENCY_HEADER not in response.headers:
                break
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path} stays stale")
        template = _SINGLE.sub(r"\1/{entity_id}", path.partition("?")[0])
        operation = ("GET" if method == "HEAD" else method, template)
        responses = self.operations[operation]["responses"]
        assert str(response.status_code) in responses, (
            f"{operation}: {response.status_code} is not documented"
        )
        return response

    def send(self, command: Command) -> tuple[Answer, Chosen, int | None]:
        """Send a command, and return its answer, the server's choices and its position."""
        headers = {}
        if command.if_match is not None:
            headers["If-Match"] = command.if_match
        if command.key is not None:
            headers["Idempotency-Key"] = command.key
        body: dict[str, Any] = {"json": command.body.sent} if command.body else {}
        response = self.request(command.method, command.path, actor=command.actor, headers=headers, **body)
        answer = read_answer(command.entity, response)
        if answer.problem:
            return answer, Chosen(), None
        record = answer.record or {}
        if answer.status == 201:
            assert response.headers["location"] == f"{PATHS[command.entity]}/{record['id']}"
        position = int(response.headers["fleetlog-position"].rpartition(":")[2])
        return answer, Chosen(record.get("id"), record.get("updated_at")), position


def read_answer(entity: str, response: httpx.Response) -> Answer:
    """Parse an answer with one record, or a problem."""
    etag = RecordETag.parse(response.headers.get("etag", ""))
    version = etag.version if etag else None
    if response.status_code >= 400:
        problem = read_problem(response)
        changes = problem.get("changed_since")
        return Answer(
            response.status_code,
            problem.get("current_version"),
            problem=problem["type"].removeprefix("urn:fleetlog:problem:"),
            errors={error["field"]: error["message"] for error in problem.get("validation_errors", [])},
            changed_since=None
            if changes is None
            else [
                (change["version"], change["type"], change["actor"]["sub"], frozenset(change["fields"]))
                for change in changes
            ],
        )
    if response.status_code in (204, 304):
        assert response.content == b""
        return Answer(response.status_code, version)
    assert response.headers["content-type"] == "application/json"
    return Answer(response.status_code, version, unwrap(entity, response.json()))


def version_of(response: httpx.Response) -> int:
    """Return the version in an answer's ETag."""
    etag = RecordETag.parse(response.headers["etag"])
    assert etag is not None
    return etag.version


def read_problem(response: httpx.Response) -> dict[str, Any]:
    """Parse a problem document and check the members common to all (RFC 9457)."""
    assert response.status_code < 500, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert MARK not in response.text, "submitted values must not be echoed"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == response.status_code
    assert problem["request_id"] == response.headers["x-request-id"]
    assert problem["title"]
    assert problem["detail"]
    for error in problem.get("validation_errors", []):
        assert error["pointer"] == "#" + "".join(f"/{part}" for part in error["field"].split(".") if part)
    if "current_version" in problem:
        assert version_of(response) == problem["current_version"]
    return problem


def assert_agrees(actual: Answer, expected: Answer) -> None:
    assert actual.status == expected.status, (actual, expected)
    assert actual.problem == expected.problem, (actual, expected)
    assert actual.version == expected.version, (actual, expected)
    assert actual.changed_since == expected.changed_since, (actual, expected)
    assert actual.errors.keys() == expected.errors.keys(), (actual, expected)
    for field, message in expected.errors.items():
        assert actual.errors[field]
        assert message in (None, actual.errors[field]), field
    assert_same_record(actual.record, expected.record)


def assert_same_record(actual: dict[str, Any] | None, expected: dict[str, Any] | None) -> None:
    """Check that two records are equal as JSON and have their fields in the same order."""
    assert canonical(actual) == canonical(expected)
    assert list(actual or ()) == list(expected or ())


def sign_in(stack: Stack, role: str) -> Actor:
    """Return a demonstration user with a token that outlives every soak; see `Stack.token`."""
    token = stack.token(role, lifetime=24 * 3600)
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return Actor(claims["sub"], claims["name"], token)


@contextmanager
def issuer_of(stack: Stack) -> Iterator[TokenIssuer]:
    """Yield an issuer with the key of a stack's own identity provider."""
    environment = stack.record().environments["identity-provider"]
    key = load_or_create_key(Path(environment["FLEETLOG_IDP_STATE"]))
    with TokenIssuer(audience=environment["FLEETLOG_AUDIENCE"]) as issuer:
        issuer.issuer = environment["FLEETLOG_ISSUER"]
        private = key.private_key
        assert private
        issuer.keys = {str(key.kid): private}
        yield issuer
