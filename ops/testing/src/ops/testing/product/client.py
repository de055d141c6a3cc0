"""A client of the running product that keeps cookies, as a browser does, and reads answers strictly."""

import base64
import json
import re
import time
from types import TracebackType
from typing import Any, Self

import httpx

from ops.base.http.consistency import CONSISTENCY_HEADER
from ops.base.http.record_etags import RecordETag
from ops.testing.product.exchanges import PATHS, Actor, Answer, Chosen, Command, unwrap
from ops.testing.product.fields import MARK
from ops.testing.product.json_values import canonical
from ops.testing.stack import Stack
from ops.testing.waiting import PATIENCE_SECONDS

_SINGLE = re.compile("({})/[^/]+".format("|".join(PATHS.values())))


class Client:
    """Talks to a running product through its gateway.

    Attributes:
        http: the connections, for what has no method here.
        documents: the OpenAPI documents of the command API and the query API.
    """

    def __init__(self, stack: Stack) -> None:
        """Prepare a client that has no cookies yet."""
        # The commands of a test may wait behind a restart of everything.
        self.http = httpx.Client(base_url=stack.address, timeout=60, trust_env=False)
        self.documents = [
            self.http.get(f"/openapi/{name}.json").raise_for_status().json() for name in ("command", "query")
        ]
        self._documented = {
            (method.upper(), path): set(operation["responses"])
            for document in self.documents
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }

    def __enter__(self) -> Self:
        """Use it as a context manager."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        actor: Actor | None,
        headers: dict[str, str] | None = None,
        patient: bool = True,
        **more: Any,
    ) -> httpx.Response:
        """Send a request; the status of its answer must be documented.

        Args:
            method: of HTTP.
            path: of the address.
            actor: who sends it; None for somebody who is not signed in.
            headers: further ones.
            patient: whether to ask again while the answer says that it does not show yet what this client
                wrote: on a busy machine the product may wait in vain for its projections.
            more: as httpx takes it.

        Raises:
            TimeoutError: it never came to show it.
        """
        authorization = {"Authorization": f"Bearer {actor.token}"} if actor else {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            response = self.http.request(method, path, headers={**authorization, **(headers or {})}, **more)
            if not patient or CONSISTENCY_HEADER not in response.headers:
                break
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path} does not show what was written")
        template = _SINGLE.sub(r"\1/{entity_id}", path.partition("?")[0])
        operation = ("GET" if method == "HEAD" else method, template)
        documented = self._documented[operation]
        assert str(response.status_code) in documented, (
            f"{operation}: {response.status_code} is not documented"
        )
        return response

    def send(self, command: Command) -> tuple[Answer, Chosen, int | None]:
        """Send a command.

        Returns:
            The answer, what the server chose when it accepted the command, and the position it told.
        """
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
    """Read an answer about one record, or a problem."""
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
    """Return the version that an answer's ETag names."""
    etag = RecordETag.parse(response.headers["etag"])
    assert etag is not None
    return etag.version


def read_problem(response: httpx.Response) -> dict[str, Any]:
    """Read a problem document and check what all of them have in common (RFC 9457)."""
    assert response.status_code < 500, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert MARK not in response.text, "what was sent must not be echoed"
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
    """Check that an answer is the expected one."""
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
    """Check that two records are the same JSON, their fields in the same order."""
    assert canonical(actual) == canonical(expected)
    assert list(actual or ()) == list(expected or ())


def sign_in(stack: Stack, role: str) -> Actor:
    """Sign a demonstration user in, by role or name, for longer than any count takes: see `Stack.token`."""
    token = stack.token(role, lifetime=24 * 3600)
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return Actor(claims["sub"], claims["name"], token)
