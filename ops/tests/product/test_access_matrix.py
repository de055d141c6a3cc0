"""Every answer that shows personal data is recorded, and no other: all routes of both APIs, all outcomes."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, unquote
from uuid import uuid4

import httpx
import psycopg
import pytest

from ops.base.permissions import Permission
from ops.base.records.entities import ACTOR, ENTITY_TYPES, EntityType
from ops.testing.conditions import wait_for
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.canaries import Canaries, Planted, plant, queries, searches
from ops.testing.product.client import Client
from ops.testing.product.exchanges import unwrap
from ops.testing.product.fields import FIELDS
from ops.testing.product.read_tables import wait_until_caught_up
from ops.testing.stack import Stack, running_stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

ONE: Final = "/{entity_id}"
VIEWS: Final = "/api/v1/views"
SYSTEM: Final = "/api/v1/system"
OF_RECORDS: Final = {
    ("PUT", ""),
    ("DELETE", ""),
    ("POST", "/restore"),
    ("POST", "/undo"),
    ("POST", "/restriction"),
    ("PUT", "/restriction/hold"),
    ("DELETE", "/restriction"),
    ("POST", "/erasure"),
}
"""Commands on a record: method, and the path after the record's."""
ELSEWHERE: Final = {"/erasure": "POST", "/privacy/receipt": "GET", "/api/v1/back-channel-logout": "POST"}
"""Routes whose success would disturb this test; other tests prove it."""
SUB: Final = "dev|matrix"
ALL: Final = frozenset(Permission)

Operation = tuple[str, str]
"""Method and path of a route, as in its OpenAPI document."""
AUTHOR, AUTHOR_PATH = "dev|matrix-author", "dev%7Cmatrix-author"
BATCHES: Final = "/api/v1/batches"
WITHOUT_READING: Final = ALL - {Permission.FLEET_READ}
MASKED: Final = ALL - {Permission.PERSONAL_READ}
GOOD: Final = {200, 201, 202, 204}
REFUSED: Final = {400, 401, 403, 404, 409, 412, 413, 415, 422}
ANY: Final = GOOD | REFUSED


@dataclass(frozen=True)
class Expected:
    """The expected entry of the access log for a request."""

    case: str
    """Message of failed assertions."""
    operation: Operation
    of: str | None
    """The id in the path."""
    is_recorded: bool | None
    """None: either."""


@dataclass
class Matrix:
    """Sends requests, and expects an entry of the access log for each answer with a canary."""

    stack: Stack
    http: httpx.Client
    issuer: TokenIssuer
    canaries: Canaries
    operations: Collection[Operation]
    """All routes of both APIs."""
    outcomes: defaultdict[Operation, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The outcomes that each route was tried for."""
    expected: dict[str, Expected] = field(default_factory=dict)
    """Entries by request id."""
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
            outcome: name of the tried outcome.
            method: HTTP method.
            address: path and query.
            body: JSON, or raw bytes.
            status: the acceptable statuses.
            permissions: the caller's; None: the caller is anonymous.
            headers: further headers.
            own: whether the request appends an event with all personal data of its answer.
            recorded: whether the answer must be recorded even without a canary.
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
        """Check that exactly the expected answers are recorded, once, with route, caller and record.

        Args:
            last: the last answer of each process, which records views in order.
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
        """Return the route of a path, and the id in the path."""
        candidates = (template for of, template in self.operations if of == method)
        templates = sorted(candidates, key=lambda template: template.count("{"))
        for template in templates:
            if found := re.fullmatch(re.sub(r"{\w+}", "([^/]+)", template), path):
                return (method, template), unquote(found[1]) if found.groups() else None
        raise LookupError(path)


def _recorded(owner: psycopg.Connection) -> Iterable[tuple[str, str, str, str | None]]:
    """Yield request id, subject, route and record of all entries."""
    for action, sub, request_id, details in owner.execute(
        "SELECT action, actor_sub, request_id, details FROM audit.accesses"
    ):
        if action == "audit-export-revealed":
            yield request_id, sub, "/api/v1/audit", None
        elif action == "views":
            for who, what, _, of, request, *_ in details["views"]:
                yield request, details["who"][who]["sub"], details["what"][what]["route"], of


def register(matrix: Matrix, entity: EntityType) -> None:
    """Register a record, and retry that with and without permission to read."""
    body = {**matrix.canaries.details(entity), **({"id": f"MATRIX-{uuid4()}"} if entity.given_id else {})}
    key = {"Idempotency-Key": str(uuid4())}
    matrix.ask("done", "POST", entity.path, body, status={201}, headers=key, own=True)
    matrix.ask("retried", "POST", entity.path, body, status={201}, headers=key)
    few = WITHOUT_READING
    matrix.ask("without reading", "POST", entity.path, body, status={201}, headers=key, permissions=few)
    matrix.ask("another", "POST", entity.path, {**body, "name": "x"}, status={422}, headers=key)
    if entity.given_id:
        matrix.ask("in use", "POST", entity.path, body, status={409})


def change(matrix: Matrix, planted: Planted, entity: EntityType) -> None:
    """Change, undo, restore and remove a record, also without effect, and with refusals."""
    address = f"{entity.path}/{planted.ids[entity.name]}"
    now = unwrap(entity.name, matrix.ask("done", "GET", address, status={200}).json())
    now = {name: now[name] for name in FIELDS[entity.name]}
    everything = {"version": 5, "keep": list(FIELDS[entity.name])}
    for method, ending, body in (
        ("PUT", "", now),
        ("POST", "/undo", everything),
        ("POST", "/restore", {"version": 5}),
        ("DELETE", "", None),
    ):
        matrix.ask("not found", method, f"{entity.path}/UNKNOWN{ending}", body, status={404})
        refuse_stale(matrix, method, address + ending, body)
        if method != "DELETE":
            answer = matrix.ask("nothing to do", method, address + ending, body, status={200})
            assert "fleetlog-version" not in answer.headers
    others = {
        **now,
        **matrix.canaries.details(entity),
        **({"identifier": "x"} if "identifier" in now else {}),
    }
    run(matrix, "POST", f"{address}/undo", {"version": 5})  # version 6
    run(matrix, "POST", f"{address}/restore", {"version": 5})
    run(
        matrix,
        "PUT",
        address,
        {**others, "name": "Another"} if entity.name == "location" else others,
        own=True,
    )
    run(matrix, "DELETE", address, None)
    matrix.ask("nothing to do", "DELETE", address, status={204})
    run(matrix, "POST", f"{address}/undo", {"version": 9})


def refuse_stale(matrix: Matrix, method: str, address: str, body: Any) -> None:
    """Send a command for the outdated first version, which is refused unless it has no effect."""
    for outcome, permissions in (("stale", ALL), ("masked", MASKED), ("without reading", WITHOUT_READING)):
        old = {"If-Match": '"1"'}
        answer = matrix.ask(outcome, method, address, body, status=ANY, headers=old, permissions=permissions)
        if outcome == "without reading":
            assert not answer.json().get("changed_since"), answer.text
            assert not matrix.canaries.in_(answer.text)


def run(matrix: Matrix, method: str, address: str, body: Any, *, own: bool = False) -> httpx.Response:
    """Send a command that succeeds, and retry it."""
    key = {"Idempotency-Key": str(uuid4())}
    first = matrix.ask("done", method, address, body, status=GOOD, headers=key, own=own)
    again = matrix.ask("retried", method, address, body, status=GOOD, headers=key)
    assert again.content == first.content
    few = matrix.ask(
        "without reading", method, address, body, status=GOOD, headers=key, permissions=WITHOUT_READING
    )
    assert few.headers.get("fleetlog-version") == first.headers.get("fleetlog-version")
    if address.endswith(("/undo", "/restore")):
        assert (few.status_code, few.content) == (204, b"")
    return first


def send_batches(matrix: Matrix, planted: Planted, entity: EntityType) -> None:
    """Send batches, whose comparisons with personal data are recorded although no value is shown."""
    path, one = f"{BATCHES}/{entity.collection}", planted.ids[entity.name]
    address = f"{entity.path}/{one}"
    now = unwrap(entity.name, matrix.ask("done", "GET", address, status={200}).json())
    personal = {name: now[name] for name in FIELDS[entity.name] if name in entity.personal}

    def send(outcome: str, row: Mapping[str, Any], *, dry: bool, recorded: bool = False) -> None:
        rows = [{"key": "1", "do": "change", "id": one, **row}]
        body = {"batch": str(uuid4()), "dry_run": dry, "rows": rows}
        answer = matrix.ask("done", "POST", path, body, status={200}, recorded=recorded)
        assert answer.json()["rows"][0]["outcome"] == outcome, answer.text
        few = matrix.ask(
            *("without reading", "POST", path, body),
            status={200},
            permissions=WITHOUT_READING,
            recorded=recorded,
        )
        (row,) = few.json()["rows"]
        assert (row["fields"], row["changed_since"]) == ([], [])

    for dry in (True, False):
        send("unchanged", {"values": personal}, dry=dry, recorded=bool(personal))
        send("conflict", {"values": personal, "version": 1}, dry=dry)
        send("unchanged", {"values": {}}, dry=dry)
    other = {name: matrix.canaries.like(value) for name, value in personal.items()}
    if personal:
        send("changed", {"values": other}, dry=True, recorded=True)
        send("changed", {"values": other}, dry=False)
    send("removed", {"do": "remove"}, dry=True)


def restrict(matrix: Matrix, planted: Planted, entity: EntityType) -> None:
    """Restrict a record, send all other commands to it, and lift the restriction."""
    one = planted.ids[entity.name]
    address = f"{entity.path}/{one}"
    bodies: Mapping[tuple[str, str], Any] = {
        ("POST", "/restriction"): {"basis": "asked"},
        ("PUT", "/restriction/hold"): {"until": None},
        ("POST", "/erasure"): {"confirm": one},
        ("DELETE", "/restriction"): None,
    }
    for (method, ending), body in bodies.items():
        unknown = {"confirm": "UNKNOWN"} if ending == "/erasure" else body
        matrix.ask("not found", method, f"{entity.path}/UNKNOWN{ending}", unknown, status={404})
        refuse_stale(matrix, method, address + ending, body)
        if ending != "/erasure":
            run(matrix, method, address + ending, body)
        else:
            key = {"Idempotency-Key": str(uuid4())}
            for outcome in ("restricted", "retried"):  # by the user who restricted it
                matrix.ask(outcome, method, address + ending, body, status={409}, headers=key)
            refuse_restricted(matrix, address, entity)
        matrix.ask("restricted", method, address + ending, body, status=ANY)


def refuse_restricted(matrix: Matrix, address: str, entity: EntityType) -> None:
    """Send each command to a restricted record, from callers with different permissions."""
    details = matrix.canaries.details(entity)
    for method, ending, body in (
        ("PUT", "", details),
        ("DELETE", "", None),
        ("POST", "/restore", {"version": 5}),
        ("POST", "/undo", {"version": 9}),
    ):
        for few in (ALL, ALL - {Permission.PRIVACY_RESTRICT}, MASKED, WITHOUT_READING):
            for old in (None, {"If-Match": '"1"'}):
                target = address + ending
                matrix.ask("restricted", method, target, body, status=REFUSED, headers=old, permissions=few)


def restrict_actor(matrix: Matrix, planted: Planted) -> None:
    """Restrict the caller, who is in the directory by now, as the author, and the author as the caller."""
    address = f"{ACTOR.path}/{quote(SUB, safe='')}"
    headers = {"Authorization": f"Bearer {matrix.issuer.token(sub=AUTHOR, name=planted.canaries.text())}"}
    matrix.http.post(f"{address}/restriction", headers=headers, json={"basis": "asked"}).raise_for_status()
    matrix.ask("done", "GET", f"{address}/privacy", status={200}, recorded=True)
    matrix.http.delete(f"{address}/restriction", headers=headers).raise_for_status()
    author = f"{ACTOR.path}/{AUTHOR_PATH}"
    for method, ending, body in (
        ("POST", "/restriction", {"basis": "asked"}),
        ("PUT", "/restriction/hold", {"until": None}),
        ("DELETE", "/restriction", None),
    ):
        run(matrix, method, author + ending, body)
        refuse_stale(matrix, method, author + ending, body)


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """An instance of its own, since the matrix restricts a user."""
    with running_stack() as own:
        yield own


@pytest.fixture(scope="module")
def matrix(stack: Stack) -> Iterator[Matrix]:
    with (
        issuer_of(stack) as issuer,
        Client(stack) as client,
        httpx.Client(base_url=stack.address, timeout=60, trust_env=False) as http,
    ):
        yield Matrix(stack, http, issuer, Canaries(), client.operations.keys())


@pytest.fixture(scope="module")
def planted(matrix: Matrix) -> Planted:
    """Records of the author; the removed ones are restricted."""
    token = matrix.issuer.token(sub=AUTHOR, name=matrix.canaries.text())
    planted = plant(matrix.http, matrix.canaries, token)
    for entity in ENTITY_TYPES:
        address = f"{entity.path}/{planted.removed[entity.name]}/restriction"
        headers = {"Authorization": f"Bearer {token}"}
        matrix.http.post(address, headers=headers, json={"basis": "asked"}).raise_for_status()
    return planted


def test_every_answer_that_shows_personal_data_is_recorded_and_no_other(
    matrix: Matrix, planted: Planted, stack: Stack
) -> None:
    refuse(matrix, planted)
    read(matrix, planted)
    for entity in ENTITY_TYPES:
        register(matrix, entity)
        change(matrix, planted, entity)
        send_batches(matrix, planted, entity)
        restrict(matrix, planted, entity)
    restrict_actor(matrix, planted)
    act(matrix)
    with psycopg.connect(stack.owner_dsn, autocommit=True) as owner:
        wait_until_caught_up(owner)
    read(matrix, planted)
    last = f"{ENTITY_TYPES[0].path}/{planted.ids[ENTITY_TYPES[0].name]}"
    restored = matrix.ask("last", "POST", f"{last}/restore", {"version": 1}, status={200}, recorded=True)
    read_last = matrix.ask("last", "GET", "/api/v1/access-log?limit=1", status={200}, recorded=True)
    matrix.assert_recorded(restored, read_last)
    seen = matrix.ask(
        "last", "GET", f"{last}/seen-by?order=desc&limit=100", status={200}, recorded=True
    ).json()
    assert restored.headers["x-request-id"] in {view["request_id"] for view in seen["content"]}
    assert_all_were_tried(matrix)


def assert_all_were_tried(matrix: Matrix) -> None:
    """Check that each route was tried for all outcomes."""
    for operation in matrix.operations:
        method, path = operation
        wanted = {"anonymous", "nothing permitted"}
        if method == "GET":
            wanted |= {"masked", "HEAD", "bad query"}
        elif method != "DELETE":
            wanted |= {"masked", "not JSON"}
        if not any(path.endswith(ending) and of == method for ending, of in ELSEWHERE.items()):
            wanted.add("done")
        if any(
            (method, path) == (of, f"{one.path}{ONE}{end}") for one in ENTITY_TYPES for of, end in OF_RECORDS
        ):
            wanted |= {"not found", "stale", "masked", "without reading", "retried", "restricted"}
        missing = wanted - matrix.outcomes[operation]
        assert not missing, (operation, missing)


def refuse(matrix: Matrix, planted: Planted) -> None:
    """Send refused requests to each route."""
    for method, path in matrix.operations:
        entity = next((one for one in ENTITY_TYPES if path.startswith(one.path)), ENTITY_TYPES[0])
        address = path.format_map(
            {
                "entity_id": planted.ids[entity.name],
                "sub": AUTHOR_PATH,
                "view_id": "none",
                "type_name": "none",
            }
        )
        body: Any = None if method in {"GET", "DELETE"} else {}
        matrix.ask("anonymous", method, address, body, status=ANY, permissions=None)
        matrix.ask("nothing permitted", method, address, body, status=ANY, permissions=())
        if address == "/api/v1/events":
            address += "?format=ndjson&after=0"
        if method == "GET":
            always = path.endswith(("/seen-by", "/access-log"))
            matrix.ask("masked", method, address, status=ANY, permissions=MASKED, recorded=always)
            matrix.ask("HEAD", "HEAD", address, status=ANY)
            matrix.ask(
                "bad query", method, f"{path_of(address)}?as_of=never&after=x", status=ANY, strict=False
            )
        elif method != "DELETE":
            matrix.ask("masked", method, address, body, status=ANY, permissions=MASKED)
            for content, kind in ((b"[", "application/json"), (b"{}", "text/plain")):
                headers = {"Content-Type": kind}
                matrix.ask("not JSON", method, address, content, status=REFUSED, headers=headers)


def read(matrix: Matrix, planted: Planted) -> None:
    """Send all queries; searches may be recorded even if they find nothing."""
    for address in (
        *("/api/v1/me", VIEWS, "/api/v1/asyncapi.json", "/api/v1/schemas/fleetlog.driver.registered.v2.json"),
        *(SYSTEM, f"{SYSTEM}/state", "/api/v1/audit/days?zone=UTC&last=2026-11-21"),
        *(f"{one.path}/{planted.ids[one.name]}" for one in ENTITY_TYPES),
        *("/api/v1/privacy/requests", f"{ACTOR.path}/{AUTHOR_PATH}/privacy", ACTOR.path),
        *(f"{one.path}/{planted.removed[one.name]}/privacy" for one in ENTITY_TYPES),
        *(f"{ACTOR.path}/{AUTHOR_PATH}/privacy/held?format={form}" for form in ("json", "html")),
        *(
            f"{one.path}/{planted.ids[one.name]}/privacy/held?format={form}"
            for one in ENTITY_TYPES
            for form in ("json", "html")
        ),
    ):
        matrix.ask("done", "GET", address, status={200})
    for address in (*queries(planted), *searches(planted, planted.searched[0])):
        if not address.startswith("/openapi/"):
            always = "/seen-by" in address or path_of(address) == "/api/v1/access-log"
            answer = matrix.ask("done", "GET", address, status=ANY, strict=False, recorded=always)
            if "etag" in answer.headers:
                known = {"If-None-Match": answer.headers["etag"]}
                matrix.ask("unchanged", "GET", address, status={200, 304}, headers=known, strict=False)
    for entity in ENTITY_TYPES:
        matrix.ask("not found", "GET", f"{entity.path}/UNKNOWN", status={404})


def act(matrix: Matrix) -> None:
    matrix.ask("done", "POST", f"{SYSTEM}/actions", {"kind": "verify"}, status={202})
    view = f"{VIEWS}/{uuid4()}"
    matrix.ask("done", "PUT", view, {"list": "drivers", "name": "Mine", "query": ""}, status={200})
    matrix.ask("done", "DELETE", view, status={204})


def path_of(address: str) -> str:
    return address.partition("?")[0]
