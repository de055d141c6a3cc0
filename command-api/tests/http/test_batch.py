"""POST to `batches`: many rows in one request, each a command of its own."""

import asyncio
import uuid
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import CHANGES, ENTITIES, new_body, path_of, register
from command_api_testing.log_in_memory import LogInMemory

from command_api.domain.catalogue import DEFINITIONS
from ops.base.permissions import OF_STAFF, Permission
from ops.base.records.json_values import merge_patched
from ops.testing.token_issuer import TokenIssuer

SOURCE = "0" * 64


def batches_of(entity: str) -> str:
    return f"/api/v1/batches/{DEFINITIONS[entity].entity_type.collection}"


class Sender:
    """Sends rows of one batch."""

    def __init__(self, client: httpx.AsyncClient, entity: str, **envelope: Any) -> None:
        self.client = client
        self.path = batches_of(entity)
        self.envelope = {"batch": str(uuid.uuid4()), "dry_run": False, **envelope}

    async def answer(self, *rows: dict[str, Any], **envelope: Any) -> httpx.Response:
        keyed = [{"key": str(number), **row} for number, row in enumerate(rows, 2)]
        body = {**self.envelope, "rows": keyed, **envelope}
        return await self.client.post(self.path, json=body)

    async def __call__(self, *rows: dict[str, Any], **envelope: Any) -> list[dict[str, Any]]:
        answer = await self.answer(*rows, **envelope)
        assert answer.status_code == 200, answer.text
        results: list[dict[str, Any]] = answer.json()["rows"]
        return results


def outcomes(results: list[dict[str, Any]]) -> list[str]:
    return [row["outcome"] for row in results]


async def registered(client: httpx.AsyncClient, entity: str) -> str:
    _, record = await register(client, entity)
    return str(record["id"])


def row_of(body: dict[str, Any]) -> dict[str, Any]:
    values = dict(body)
    return {"id": values.pop("id", None), "values": values}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_rows_register_and_change_records(client: httpx.AsyncClient, entity: str) -> None:
    known = await registered(client, entity)
    new = row_of(new_body(entity))
    send = Sender(client, entity, source=SOURCE[:-1] + "1")
    change = {"id": known, "values": CHANGES[entity]}

    tried = await send(new, change, {"id": known, "values": {}}, dry_run=True)
    done = await send(new, change, {"id": known, "values": {}, "key": "9"})

    (field,) = CHANGES[entity]
    assert outcomes(tried) == ["new", "changed", "unchanged"]
    assert outcomes(done)[:2] == ["new", "changed"]
    assert (done[1]["id"], done[1]["version"], done[1]["fields"]) == (known, 2, [field])
    assert (tried[1]["version"], tried[1]["fields"]) == (1, [field])
    assert done[0]["id"] == tried[0]["id"]


async def test_dry_run_appends_nothing(client: httpx.AsyncClient, log: LogInMemory) -> None:
    known = await registered(client, "driver")
    before = await log.head()
    send = Sender(client, "driver", dry_run=True)
    rows: list[dict[str, Any]] = [
        {"id": known, "values": {"city": "Mysuru"}},
        {"id": known, "do": "remove"},
        row_of(new_body("driver")),
    ]
    assert outcomes(await send(*rows)) == ["changed", "removed", "new"]
    assert await log.head() == before
    # A dry run does not use up the key.
    assert outcomes(await send(*rows[:1], dry_run=False)) == ["changed"]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_repeated_rows_are_answered_as_the_first_time(client: httpx.AsyncClient, entity: str) -> None:
    known = await registered(client, entity)
    send = Sender(client, entity, source=SOURCE[:-1] + "2")
    (field,) = CHANGES[entity]
    rows: list[dict[str, Any]] = [
        row_of(new_body(entity)),
        {"id": known, "values": CHANGES[entity]},
        {"id": await registered(client, entity), "values": {field: [7]}},
        {"id": "UNKNOWN", "do": "change"},
    ]
    first = await send(*rows)
    for row in first[:2]:
        await client.delete(f"{path_of(entity)}/{row['id']}")
    again = await send(*rows)
    for row in (*first, *again):
        del row["duplicates"]  # they are compared again
    assert again == first
    assert outcomes(first) == ["new", "changed", "refused", "refused"]
    (other,) = await send({"id": known, "values": {}})
    assert other["outcome"] == "refused", "the key belongs to another row"


@pytest.mark.parametrize("entity", [name for name in ENTITIES if name != "driver"])
async def test_repeated_import_registers_no_duplicates(client: httpx.AsyncClient, entity: str) -> None:
    rows = [row_of(new_body(entity)), row_of(new_body(entity))]
    first = await Sender(client, entity, source=SOURCE)(*rows)
    again = await Sender(client, entity, source=SOURCE)(*rows)
    others = [row_of(new_body(entity)) for _ in rows]
    other = await Sender(client, entity, source="1" * 64)(*others)
    assert [outcomes(rows) for rows in (first, again, other)] == [
        ["new"] * 2,
        ["unchanged"] * 2,
        ["new"] * 2,
    ]
    ids = [[row["id"] for row in rows] for rows in (first, again, other)]
    assert ids[0] == ids[1] != ids[2]
    assert len({*ids[0], *ids[2]}) == 4
    prefix = DEFINITIONS[entity].id_prefix
    assert all(id_.startswith(prefix) and len(id_) == len(prefix) + 12 for id_ in ids[0])


async def test_new_record_is_the_patch_of_an_empty_object(client: httpx.AsyncClient) -> None:
    row = {"values": {**new_body("horse"), "metadata": {"fuel": {"kind": None}}, "owner": None}}
    row["values"].pop("id", None)
    results = [await Sender(client, "horse", source="2" * 64)(row, dry_run=dry) for dry in (True, False) * 2]
    assert [outcomes(rows) for rows in results] == [["new"], ["new"], ["unchanged"], ["unchanged"]]


async def test_refused_rows_have_the_messages_of_the_forms(client: httpx.AsyncClient) -> None:
    known = await registered(client, "driver")
    send = Sender(client, "driver")
    without_id, bad, unknown_field, partly_new = await send(
        {"values": {"city": "Mysuru"}},
        {"id": known, "values": {"city": " ", "email_address": "not-an-address"}},
        {"id": known, "values": {"shoe_size": 44}},
        {"id": "EMP-PARTLY", "values": {"city": "Mysuru"}},
    )
    assert {row["outcome"] for row in (without_id, bad, unknown_field, partly_new)} == {"refused"}
    assert "Employee number is required" in messages(without_id)
    assert messages(bad) == ["City is required", "Invalid email address"]
    assert messages(unknown_field) == ["This field is not known"]
    assert "Driver name is required" in messages(partly_new)


def messages(row: dict[str, Any]) -> list[str]:
    return [error["message"] for error in row["validation_errors"]]


async def test_ids_of_rows_follow_the_rules_of_the_entity_type(client: httpx.AsyncClient) -> None:
    (trailer,) = await Sender(client, "trailer")({**row_of(new_body("trailer")), "id": "TRL-OWN"})
    (horse,) = await Sender(client, "horse")({**row_of(new_body("horse")), "id": "HRS-OWN"})
    (odd,) = await Sender(client, "horse")({**row_of(new_body("horse")), "id": "no id"})
    assert (trailer["outcome"], horse["outcome"], odd["outcome"]) == ("refused", "new", "refused")
    assert odd["validation_errors"][0]["field"] == "id"


async def test_row_with_a_stale_version_is_a_conflict(client: httpx.AsyncClient) -> None:
    known = await registered(client, "driver")
    send = Sender(client, "driver")
    await send({"id": known, "values": {"city": "Mysuru"}})
    results = await send(
        {"key": "a", "id": known, "do": "change", "version": 1, "values": {"city": "Salem"}},
        {"key": "b", "id": known, "do": "remove", "version": 1},
    )
    assert outcomes(results) == ["conflict", "conflict"]
    assert [change["fields"] for row in results for change in row["changed_since"]] == [["city"], ["city"]]
    (removed,) = await send({"key": "c", "id": known, "do": "remove", "version": 2})
    assert (removed["outcome"], removed["version"]) == ("removed", 3)
    assert outcomes(await send({"key": "d", "id": known, "do": "remove"})) == ["unchanged"]
    assert outcomes(await send({"key": "e", "id": known, "do": "change", "values": {}})) == ["refused"]


async def test_batch_is_undone_except_for_rows_changed_since(
    client: httpx.AsyncClient,
) -> None:
    known = [await registered(client, "driver") for _ in range(3)]
    send = Sender(client, "driver")
    new, *_ = done = await send(
        row_of(new_body("driver")), *({"id": id_, "values": {"city": "Mysuru"}} for id_ in known[:2])
    )
    await send({"key": "other", "id": known[1], "values": {"city": "Salem"}})
    undo = [{"id": row["id"], "do": "undo", "version": row["version"]} for row in done]
    again = Sender(client, "driver")
    tried, results = await again(*undo, dry_run=True), await again(*undo)
    assert outcomes(tried) == outcomes(results) == ["removed", "changed", "conflict"]
    assert [change["fields"] for change in results[2]["changed_since"]] == [["city"]]
    assert outcomes(await again(*undo)) == outcomes(results)
    assert outcomes(await Sender(client, "driver")(*undo)) == ["unchanged", "unchanged", "conflict"]
    assert (await client.put(f"{path_of('driver')}/{new['id']}", json=new_body("driver"))).status_code == 422
    unknown: list[dict[str, Any]] = [
        {"id": known[2], "do": "undo", "version": 9},
        {"id": known[2], "do": "undo"},
    ]
    assert outcomes(await Sender(client, "driver")(*unknown)) == ["refused"] * 2


async def test_members_of_objects_are_patched_separately(client: httpx.AsyncClient) -> None:
    known = await registered(client, "location")
    await Sender(client, "location")(
        {"id": known, "values": {"attributes": {"city": "Salem", "state": None}}}
    )
    answer = await client.put(f"{path_of('location')}/{known}", json=new_body("location"))
    attributes = new_body("location")["attributes"]
    (results,) = await Sender(client, "location")({"id": known, "values": {"attributes": {"city": "Salem"}}})
    assert answer.status_code == 200
    assert results["fields"] == ["attributes"]
    same = {**attributes, "city": "Salem"}
    assert outcomes(await Sender(client, "location")({"id": known, "values": {"attributes": same}})) == [
        "unchanged"
    ]


async def test_rows_need_the_permissions_of_single_commands(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    known = await registered(client, "driver")
    trailer = await registered(client, "trailer")

    async def as_one_with(permissions: set[Permission], entity: str, row: dict[str, Any]) -> httpx.Response:
        token = issuer.token(permissions=list(permissions))
        body = {"batch": str(uuid.uuid4()), "dry_run": False, "rows": [{"key": "2", **row}]}
        headers = {"Authorization": f"Bearer {token}"}
        return await client.post(batches_of(entity), json=body, headers=headers)

    masked = set(OF_STAFF) - {Permission.PERSONAL_READ}
    read_only = {Permission.FLEET_READ}
    change = {"id": known, "values": {"city": "Mysuru"}}
    assert (await as_one_with(read_only, "driver", change)).status_code == 403
    assert (await as_one_with(masked, "driver", change)).status_code == 403
    removal = {"id": known, "do": "remove"}
    assert (
        await as_one_with(set(OF_STAFF) - {Permission.FLEET_REMOVE}, "driver", removal)
    ).status_code == 403
    harmless = await as_one_with(masked, "trailer", {"id": trailer, "values": {"axles": 5}})
    assert harmless.json()["rows"][0]["outcome"] == "changed"
    now = await client.put(f"{path_of('trailer')}/{trailer}", json=new_body("trailer", axles=5))
    assert now.headers["etag"].startswith('"2-'), "masked values stay unchanged"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"batch": "1"}, "batch"),
        ({"source": "x"}, "source"),
        ({"dry_run": "yes"}, "dry_run"),
        ({"rows": []}, "rows"),
        ({"rows": [{"key": "", "values": {}}]}, "rows.0.key"),
        ({"rows": [{"key": "1", "do": "erase"}]}, "rows.0.do"),
        ({"rows": [{"key": "1", "version": 0}]}, "rows.0.version"),
        ({"rows": [{"key": "1", "more": 1}]}, "rows.0.more"),
        ({"rows": [{"key": str(number)} for number in range(501)]}, "rows"),
    ],
)
async def test_invalid_batch_is_refused(
    client: httpx.AsyncClient, change: dict[str, Any], field: str
) -> None:
    body = {"batch": str(uuid.uuid4()), "dry_run": True, "rows": [{"key": "1"}], **change}
    answer = await client.post(batches_of("driver"), json=body)
    assert answer.status_code == 422
    assert answer.json()["validation_errors"][0]["field"] == field


async def test_second_row_with_a_key_is_refused(client: httpx.AsyncClient) -> None:
    known = await registered(client, "driver")
    rows = [{"key": "1", "id": known, "values": {"city": city}} for city in ("Mysuru", "Salem")]
    results = await Sender(client, "driver")(*rows)
    assert outcomes(results) == ["changed", "refused"]


async def test_concurrent_imports_register_each_row_once(client: httpx.AsyncClient) -> None:
    rows = [row_of(new_body("trailer")) for _ in range(40)]
    source = uuid.uuid4().hex * 2
    runs = await asyncio.gather(*(Sender(client, "trailer", source=source)(*rows) for _ in range(4)))
    for of_row in zip(*runs, strict=True):
        assert sorted(outcomes(list(of_row))) == ["new", "unchanged", "unchanged", "unchanged"]


@pytest.mark.parametrize(
    ("value", "patch", "patched"),
    [
        ({"a": "b"}, {"a": None}, {}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [1]}, {"a": {"b": None}}, {"a": {}}),
        (["a"], {"a": 1}, {"a": 1}),
        ({"a": 1}, ["b"], ["b"]),
    ],
)
def test_merge_patches_follow_rfc_7396(value: Any, patch: Any, patched: Any) -> None:
    assert merge_patched(value, patch) == patched
