"""Requests of one caller to both APIs, and whether each answer that shows personal data is recorded."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

import httpx
import psycopg

from ops.base.permissions import Permission
from ops.testing.product.canaries import Canaries
from ops.testing.product.client import Client
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_for

SUB: Final = "dev|matrix"
ALL: Final = frozenset(Permission)

Operation = tuple[str, str]
"""Method and path of a route, as its OpenAPI document has it."""


@dataclass(frozen=True)
class Expected:
    """What the access log must hold of a request."""

    case: str
    """For messages of assertions."""
    operation: Operation
    of: str | None
    """The id in the address; None: it has none."""
    is_recorded: bool | None
    """None: it may be, or not."""


@dataclass
class Matrix:
    """Sends requests, and expects a record of each answer that has a canary in it."""

    stack: Stack
    http: httpx.Client
    issuer: TokenIssuer
    canaries: Canaries
    operations: Mapping[Operation, Mapping[str, Any]]
    """All routes of both APIs."""
    outcomes: defaultdict[Operation, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What each route was tried for."""
    expected: dict[str, Expected] = field(default_factory=dict)
    """By request ids."""
    _tokens: dict[Collection[Permission], str] = field(default_factory=dict)

    def ask(
        self,
        outcome: str,
        method: str,
        address: str,
        body: Any = None,
        *,
        status: Collection[int],
        permissions: Collection[Permission] | None = ALL,
        headers: Mapping[str, str] | None = None,
        own: bool = False,
        recorded: bool = False,
        strict: bool = True,
    ) -> httpx.Response:
        """Send a request.

        Args:
            outcome: what the request is to come to.
            method: of HTTP.
            address: path and query.
            body: JSON, or bytes as they are.
            status: the statuses that the answer may have.
            permissions: the caller's; None: the caller is not signed in.
            headers: further ones.
            own: whether the request appends an event with all personal data that the answer shows.
            recorded: whether the answer must be recorded even if there is no canary in it.
            strict: whether an answer without a canary must not be recorded.
        """
        sent = dict(headers or {}) | (
            {} if permissions is None else {"Authorization": self._bearer(permissions)}
        )
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            sent = {"Content-Type": "application/json", **sent}
        answer = self.http.request(method, address, headers=sent, content=content)
        operation, of = self._operation("GET" if method == "HEAD" else method, address.partition("?")[0])
        case = f"{outcome}: {method} {address} {body!r:.200}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code in status, case
        shows = self.canaries.mark in answer.text.lower()
        if permissions is None or Permission.PERSONAL_READ not in permissions:
            assert not shows, case
        self.outcomes[operation].add(outcome)
        must_be = recorded or (shows and not own)
        self.expected[answer.headers["x-request-id"]] = Expected(
            case, operation, of, must_be if strict or must_be else None
        )
        return answer

    def assert_recorded(self, *last: httpx.Response) -> None:
        """Assert that exactly the answers that must be recorded are, once, with route, caller and record.

        Args:
            last: the last answer of each process: it records its views in their order.
        """
        with psycopg.connect(self.stack.owner_dsn, autocommit=True) as owner:
            for answer in last:
                request = answer.headers["x-request-id"]
                wait_for(lambda request=request: request in {one for one, *_ in _recorded(owner)})  # type: ignore[misc]
            found = [one for one in _recorded(owner) if one[0] in self.expected]
        requests = {request for request, *_ in found}
        cases = {request: one for request, one in self.expected.items() if one.is_recorded is not None}
        assert not [one.case for request, one in cases.items() if one.is_recorded and request not in requests]
        assert not [one.case for request, one in cases.items() if not one.is_recorded and request in requests]
        assert len(requests) == len(found), "an answer is recorded once"
        for request, sub, route, of in found:
            expected = self.expected[request]
            assert (sub, route) == (SUB, expected.operation[1]), expected.case
            assert expected.of in (None, of), expected.case

    def _bearer(self, permissions: Collection[Permission]) -> str:
        had = frozenset(permissions)
        if had not in self._tokens:
            self._tokens[had] = self.issuer.token(sub=SUB, name="A Caller", permissions=sorted(had))
        return f"Bearer {self._tokens[had]}"

    def _operation(self, method: str, path: str) -> tuple[Operation, str | None]:
        """Return the route that an address leads to, and the id in the address."""
        templates = sorted((template for of, template in self.operations if of == method), key=_variables)
        for template in templates:
            if found := re.fullmatch(re.sub(r"{\w+}", "([^/]+)", template), path):
                return (method, template), unquote(found[1]) if found.groups() else None
        raise LookupError(path)


def _variables(template: str) -> int:
    return template.count("{")


def operations_of(client: Client) -> dict[Operation, Mapping[str, Any]]:
    """Return all operations of both APIs' documents."""
    return {
        (method.upper(), path): operation
        for document in client.documents
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _recorded(owner: psycopg.Connection) -> Iterable[tuple[str, str, str, str | None]]:
    """Yield request, subject, route and record of all that is recorded."""
    for action, sub, request_id, details in owner.execute(
        "SELECT action, actor_sub, request_id, details FROM audit.accesses"
    ):
        if action == "audit-export-revealed":
            yield request_id, sub, "/api/v1/audit", None
        elif action == "views":
            for who, what, _, of, request, *_ in details["views"]:
                yield request, details["who"][who]["sub"], details["what"][what]["route"], of
