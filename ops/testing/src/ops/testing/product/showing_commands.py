"""Commands for the matrix of what is recorded: each in all that can come of it."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import httpx

from ops.base.permissions import Permission
from ops.base.records.entities import ACTOR, EntityType
from ops.testing.product.canaries import Planted
from ops.testing.product.exchanges import unwrap
from ops.testing.product.fields import FIELDS
from ops.testing.product.showing import ALL, SUB, Matrix

AUTHOR, AUTHOR_PATH = "dev|matrix-author", "dev%7Cmatrix-author"
BATCHES: Final = "/api/v1/batches"
WITHOUT_READING: Final = ALL - {Permission.FLEET_READ}
MASKED: Final = ALL - {Permission.PERSONAL_READ}
GOOD: Final = {200, 201, 202, 204}
REFUSED: Final = {400, 401, 403, 404, 409, 412, 413, 415, 422}
ANY: Final = GOOD | REFUSED


def register(matrix: Matrix, entity: EntityType) -> None:
    """Register a record, and send that again, with and without permission to read."""
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
    """Change, undo, restore and remove a record; each also where there is nothing to do, and in vain."""
    address = f"{entity.path}/{planted.ids[entity.name]}"
    now = unwrap(entity.name, matrix.ask("done", "GET", address, status={200}).json())
    now = {name: now[name] for name in FIELDS[entity.name]}
    whole = {"version": 5, "keep": list(FIELDS[entity.name])}
    for method, ending, body in (
        ("PUT", "", now),
        ("POST", "/undo", whole),
        ("POST", "/restore", {"version": 5}),
        ("DELETE", "", None),
    ):
        matrix.ask("nobody", method, f"{entity.path}/NOBODY{ending}", body, status={404})
        refuse_stale(matrix, method, address + ending, body)
        if method != "DELETE":
            answer = matrix.ask("nothing to do", method, address + ending, body, status={200})
            assert "fleetlog-version" not in answer.headers
    others = {
        **now,
        **matrix.canaries.details(entity),
        **({"identifier": "x"} if "identifier" in now else {}),
    }
    run(matrix, "POST", f"{address}/undo", {"version": 5})  # makes 6
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
    """Send a command that builds on the first version, which the author has changed since.

    If there is nothing to do, the command is not refused.
    """
    for outcome, permissions in (("stale", ALL), ("masked", MASKED), ("without reading", WITHOUT_READING)):
        old = {"If-Match": '"1"'}
        answer = matrix.ask(outcome, method, address, body, status=ANY, headers=old, permissions=permissions)
        if outcome == "without reading":
            assert not answer.json().get("changed_since"), answer.text
            assert not matrix.canaries.in_(answer.text)


def run(matrix: Matrix, method: str, address: str, body: Any, *, own: bool = False) -> httpx.Response:
    """Send a command that succeeds, and again with its key."""
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
    """Send rows: what is compared with values of people is recorded, although no value is shown."""
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
        (told,) = few.json()["rows"]
        assert (told["fields"], told["changed_since"]) == ([], [])

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
    """Restrict a record, try all other commands on it, and lift the restriction."""
    one = planted.ids[entity.name]
    address = f"{entity.path}/{one}"
    bodies: Mapping[tuple[str, str], Any] = {
        ("POST", "/restriction"): {"basis": "asked"},
        ("PUT", "/restriction/hold"): {"until": None},
        ("POST", "/erasure"): {"confirm": one},
        ("DELETE", "/restriction"): None,
    }
    for (method, ending), body in bodies.items():
        unknown = {"confirm": "NOBODY"} if ending == "/erasure" else body
        matrix.ask("nobody", method, f"{entity.path}/NOBODY{ending}", unknown, status={404})
        refuse_stale(matrix, method, address + ending, body)
        if ending != "/erasure":
            run(matrix, method, address + ending, body)
        else:
            key = {"Idempotency-Key": str(uuid4())}
            for outcome in ("restricted", "retried"):  # by whom it was restricted
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
                whole = address + ending
                matrix.ask("restricted", method, whole, body, status=REFUSED, headers=old, permissions=few)


def restrict_actor(matrix: Matrix, planted: Planted) -> None:
    """Have the author restrict the caller, whom the directory knows by now, and the other way round."""
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
