"""Every answer that shows personal data is recorded, and no other: all routes of both APIs, all outcomes."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg
import pytest

from ops.base.records.entities import ACTOR, ENTITY_TYPES
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.canaries import Canaries, Planted, plant, queries, searches
from ops.testing.product.client import Client
from ops.testing.product.showing import Matrix, operations_of
from ops.testing.product.showing_commands import (
    ANY,
    AUTHOR,
    AUTHOR_PATH,
    MASKED,
    REFUSED,
    change,
    register,
    restrict,
    restrict_actor,
    send_batches,
)
from ops.testing.product.whole import wait_until_caught_up
from ops.testing.stack import Stack, running_stack

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
"""Commands about a record: how they begin, and what comes after its address."""
ELSEWHERE: Final = {"/erasure": "POST", "/privacy/receipt": "GET", "/api/v1/back-channel-logout": "POST"}
"""Endings of routes whose success other tests show: it would end what this test stands on."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """An instance of its own: the matrix restricts a user, which readers of a shared log do not expect."""
    with running_stack() as own:
        yield own


@pytest.fixture(scope="module")
def matrix(stack: Stack) -> Iterator[Matrix]:
    with (
        issuer_of(stack) as issuer,
        Client(stack) as client,
        httpx.Client(base_url=stack.address, timeout=60, trust_env=False) as http,
    ):
        yield Matrix(stack, http, issuer, Canaries(), operations_of(client))


@pytest.fixture(scope="module")
def planted(matrix: Matrix) -> Planted:
    """Records that the author has made, of which those that are removed are restricted."""
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
    """Assert that each route has a place here, and was tried for all that can come of it."""
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
            wanted |= {"nobody", "stale", "masked", "without reading", "retried", "restricted"}
        missing = wanted - matrix.outcomes[operation]
        assert not missing, (operation, missing)


def refuse(matrix: Matrix, planted: Planted) -> None:
    """Ask each route as nobody may, and in ways that are refused."""
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
    """Read all that can be read; where something is looked for, it may be recorded that nothing was found."""
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
        matrix.ask("nobody", "GET", f"{entity.path}/NOBODY", status={404})


def act(matrix: Matrix) -> None:
    matrix.ask("done", "POST", f"{SYSTEM}/actions", {"kind": "verify"}, status={202})
    view = f"{VIEWS}/{uuid4()}"
    matrix.ask("done", "PUT", view, {"list": "drivers", "name": "Mine", "query": ""}, status={200})
    matrix.ask("done", "DELETE", view, status={204})


def path_of(address: str) -> str:
    return address.partition("?")[0]
