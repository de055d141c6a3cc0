"""POST to `merges`: two records become one, and an undo makes them two again."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import (
    CHANGED,
    ENTITIES,
    register,
    unwrap,
    version_of,
    without_times,
)
from command_api_testing.log_in_memory import LogInMemory

from command_api.domain.events import Merged
from ops.base.permissions import OF_STAFF, Permission

OFFICER = OF_STAFF | {Permission.PRIVACY_RESTRICT, Permission.PRIVACY_ERASE}
PERMISSIONS = {
    "staff": OF_STAFF,
    "masked": OF_STAFF - {Permission.PERSONAL_READ},
    "writer": OF_STAFF - {Permission.FLEET_REMOVE},
    "officer": OFFICER,
    "second": OFFICER,
}
MERGED = [entity for entity in ENTITIES if entity not in Merged.not_of]
Users = dict[str, httpx.AsyncClient]


@pytest.fixture
def log() -> LogInMemory:
    return LogInMemory()


@pytest.fixture
async def users(log: LogInMemory, users_of: Callable[..., Awaitable[Users]]) -> Users:
    return await users_of(log, PERMISSIONS)


@pytest.fixture
def client(users: Users) -> httpx.AsyncClient:
    return users["staff"]


def id_of(address: str) -> str:
    return address.rpartition("/")[2]


async def merge(
    client: httpx.AsyncClient,
    into: str,
    source: str,
    version: int = 1,
    *,
    values: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    body = {"from": id_of(source), "version": version, "values": values or {}}
    return await client.post(f"{into}/merges", json=body, headers=headers)


async def undo(client: httpx.AsyncClient, address: str, version: int, **headers: str) -> httpx.Response:
    return await client.post(f"{address}/undo", json={"version": version}, headers=headers)


async def two(client: httpx.AsyncClient, entity: str = "driver") -> tuple[str, str]:
    return (await register(client, entity))[0], (await register(client, entity))[0]


def refusal(answer: httpx.Response) -> tuple[int, str, str]:
    problem = answer.json()
    return answer.status_code, problem["type"].rpartition(":")[2], problem["detail"]


@pytest.mark.parametrize("entity", MERGED)
async def test_merge_and_its_undo_change_both_records_in_one_append(
    client: httpx.AsyncClient, log: LogInMemory, entity: str
) -> None:
    into, record = await register(client, entity)
    source, _ = await register(client, entity)
    merged = await merge(client, into, source, values=CHANGED[entity])
    assert (merged.status_code, version_of(merged)) == (200, 2), merged.text
    expected = {**record, **CHANGED[entity]}
    assert set(unwrap(entity, merged.json())) == set(expected)
    removed, survivor = await log.after(2, limit=10)
    assert (removed.topic, removed.originator_id) == (f"{entity}.merged_into", f"{entity}:{id_of(source)}")
    assert (survivor.topic, survivor.originator_id) == (f"{entity}.merged", f"{entity}:{id_of(into)}")
    assert merged.headers["fleetlog-position"].endswith(f":{survivor.position}")
    assert removed.moment == survivor.moment
    for address, version in ((source, 2), (into, 2)):
        undone = await undo(client, address, version)
        assert undone.status_code == 200, undone.text
        assert without_times(unwrap(entity, undone.json())).items() >= {"id": id_of(address)}.items()
        back, own = await log.after(await log.head() - 2, limit=2)
        assert {back.topic, own.topic} == {f"{entity}.registered", f"{entity}.details_changed"}
        now = await client.put(into, json={})  # invalid, so it changes nothing
        assert now.status_code in {200, 422}
        if address == source:
            again = await merge(client, into, source, 3, values=CHANGED[entity])
            assert (again.status_code, version_of(again)) == (200, 4), again.text
            refused = await undo(client, into, 2)  # of the first merge
            assert refusal(refused)[:2] == (412, "precondition-failed"), refused.text
            into_version = 4
            assert refusal(await undo(client, into, 3))[1] == "rule-broken"  # the undo of the first merge
            undone = await undo(client, into, into_version)
            assert without_times(unwrap(entity, undone.json())) == without_times(record)
            break


async def test_records_without_a_difference_are_merged_and_the_undo_is_refused_once_undone(
    client: httpx.AsyncClient,
) -> None:
    into, source = await two(client)
    merged = await merge(client, into, source)
    assert (merged.status_code, version_of(merged)) == (200, 2)
    assert version_of(await undo(client, into, 2)) == 3
    again = await undo(client, into, 2)
    assert refusal(again) == (
        *(409, "rule-broken"),
        "The merged record is registered again, so its merge cannot be undone.",
    )
    redo = await undo(client, source, 3)
    detail = "This change undid a merge. Merge the records again instead."
    assert refusal(redo) == (409, "rule-broken", detail)


async def test_repeated_merge_is_answered_alike_with_the_position_of_both_events(
    client: httpx.AsyncClient,
) -> None:
    into, source = await two(client)
    key = {"Idempotency-Key": "once"}
    first = await merge(client, into, source, values={"city": "Salem"}, headers=key)
    for _ in range(2):
        again = await merge(client, into, source, values={"city": "Salem"}, headers=key)
        assert (again.status_code, version_of(again), again.json()) == (200, 2, first.json())
        assert again.headers["fleetlog-position"] == first.headers["fleetlog-position"]
    await client.put(into, json={**first.json()["driver_by_pk"], "city": "Hubli"})
    again = await merge(client, into, source, values={"city": "Salem"}, headers=key)
    assert (version_of(again), again.json()) == (2, first.json())
    other = await merge(client, into, source, values={"city": "Pune"}, headers={"Idempotency-Key": "once"})
    assert refusal(other)[:2] == (422, "idempotency-mismatch")
    gone = await merge(client, into, source, headers={"Idempotency-Key": "two", "If-Match": '"3"'})
    for _ in range(2):
        assert refusal(gone)[:2] == (409, "rule-broken")  # the other one was removed
        gone = await merge(client, into, source, headers={"Idempotency-Key": "two", "If-Match": '"3"'})


async def test_changes_since_of_either_record_are_refused_and_the_other_record_is_named(
    client: httpx.AsyncClient,
) -> None:
    (into, record), (source, other) = await register(client, "driver"), await register(client, "driver")
    await client.put(source, json={**other, "city": "Salem"})
    for key in ("a", "a", "b"):
        refused = await merge(client, into, source, headers={"Idempotency-Key": key})
        problem = refused.json()
        assert (refused.status_code, problem["record"], problem["current_version"]) == (412, id_of(source), 2)
        assert [change["fields"] for change in problem["changed_since"]] == [["city"]]
    await client.put(into, json={**record, "city": "Hubli"})
    refused = await merge(client, into, source, 2, headers={"If-Match": '"1"'})
    assert (refused.status_code, refused.json()["current_version"]) == (412, 2)
    assert "record" not in refused.json()
    assert (await merge(client, into, source, 2, headers={"If-Match": '"2"'})).status_code == 200


async def test_unsuitable_records_are_refused_in_clear_words(users: Users) -> None:
    client, officer = users["staff"], users["officer"]
    into, source = await two(client)
    wrong: list[tuple[dict[str, Any], list[str]]] = [
        ({"from": id_of(into), "version": 1}, ["from"]),
        ({"from": "no id!", "version": 1}, ["from"]),
        ({"version": 1}, ["from"]),
        ({"from": id_of(source)}, ["version"]),
        ({"from": id_of(source), "version": 1, "values": {"name": None}}, ["name"]),
        ({"from": id_of(source), "version": 1, "values": {"id": "EMP-9"}}, ["id"]),
    ]
    for number, (body, fields) in enumerate(wrong):
        for key in ({}, {"Idempotency-Key": f"{number}"}, {"Idempotency-Key": f"{number}"}):
            answer = await client.post(f"{into}/merges", json=body, headers=key)
            assert answer.status_code == 422, answer.text
            assert [error["field"] for error in answer.json()["validation_errors"]] == fields
    unknown = await merge(client, into, "EMP-unknown")
    assert refusal(unknown) == (409, "rule-broken", "The record to merge is not registered.")
    assert (await merge(client, "/api/v1/drivers/EMP-unknown", source)).status_code == 404
    await officer.post(f"{source}/restriction", json={"basis": "asked"})
    detail = "The record to merge is restricted. Lift the restriction to merge it."
    assert refusal(await merge(client, into, source, 2)) == (409, "rule-broken", detail)
    assert refusal(await merge(client, source, into))[1] == "restricted"
    await users["second"].post(f"{source}/erasure", json={"confirm": id_of(source)})
    assert refusal(await merge(client, into, source, 3)) == refusal(unknown)
    assert (await client.post("/api/v1/subscriptions/SUB-1/merges", json={})).status_code == 404


async def test_merge_needs_permissions_to_write_and_remove_and_for_personal_values_to_read_them(
    users: Users,
) -> None:
    into, source = await two(users["staff"])
    refused = await merge(users["writer"], into, source)
    assert (refused.status_code, refused.json()["missing_permissions"]) == (403, ["fleet:remove"])
    refused = await merge(users["masked"], into, source, values={"city": "Salem"})
    assert (refused.status_code, refused.json()["missing_permissions"]) == (403, ["personal:read"])
    merged = await merge(users["masked"], into, source)
    assert (merged.status_code, merged.json()["driver_by_pk"]["name"]) == (200, None)
    undone = await undo(users["masked"], into, 2)
    assert (undone.status_code, undone.json()["missing_permissions"]) == (403, ["personal:read"])
    undone = await undo(users["writer"], source, 2)
    assert (undone.status_code, undone.json()["missing_permissions"]) == (403, ["fleet:remove"])


async def test_commands_on_a_merged_record_name_the_one_it_was_merged_into(client: httpx.AsyncClient) -> None:
    (into, _), (source, record) = await register(client, "driver"), await register(client, "driver")
    await merge(client, into, source)
    refused = await client.put(source, json=record)
    assert (refused.status_code, refused.json()["into"]) == (404, id_of(into))
    assert (await client.delete(source)).status_code == 204
    restored = await client.post(f"{source}/restore", json={"version": 1})
    assert (restored.status_code, version_of(restored)) == (200, 3)
    refused = await undo(client, into, 2)
    assert refusal(refused)[1] == "rule-broken"


async def test_undo_keeps_later_changes_and_is_refused_if_they_are_of_the_same_fields(
    client: httpx.AsyncClient,
) -> None:
    into, source = await two(client)
    merged = unwrap("driver", (await merge(client, into, source, values={"city": "Salem"})).json())
    await client.put(into, json={**merged, "city": "Hubli", "bank_name": "SBI"})
    refused = await undo(client, into, 2)
    assert (refused.status_code, refused.json()["changed_since"][0]["fields"]) == (412, ["city", "bank_name"])
    refused = await undo(client, source, 2)  # its own version says nothing about the other record
    assert (refused.status_code, refused.json()["record"]) == (412, id_of(into))
    undone = unwrap("driver", (await undo(client, into, 2, **{"If-Match": '"3"'})).json())
    assert (undone["city"], undone["bank_name"]) == ("Bengaluru", "SBI")
    assert version_of(await client.put(source, json={**merged, "id": id_of(source)})) == 4


async def test_chain_is_undone_from_its_end(client: httpx.AsyncClient) -> None:
    (a, b), (c, _) = await two(client), await register(client, "driver")
    await merge(client, b, a)
    await merge(client, c, b, 2)
    refused = await undo(client, a, 2)
    detail = "The record that survived the merge was removed. Restore the merged record instead."
    assert refusal(refused) == (409, "rule-broken", detail)
    assert (await undo(client, b, 3)).status_code == 200
    assert (await undo(client, b, 2)).status_code == 200


async def test_merged_records_are_restricted_held_and_erased_with_the_survivor(
    users: Users, log: LogInMemory
) -> None:
    client, officer = users["staff"], users["officer"]
    (a, b), (c, _) = await two(client), await register(client, "driver")
    d = (await register(client, "driver"))[0]
    await merge(client, b, a)
    await merge(client, c, b, 2)
    await merge(client, c, d)
    await undo(client, c, 3)  # `d` is another person after all
    refused = await officer.post(f"{a}/restriction", json={"basis": "asked"})
    detail = "This record was merged into another. Decide about that one for both."
    assert (refusal(refused), refused.json()["into"]) == ((409, "rule-broken", detail), id_of(b))
    steps = [
        officer.post(f"{c}/restriction", json={"basis": "asked"}),
        officer.put(f"{c}/restriction/hold", json={"until": "2999-01-01"}, headers={"X-Change-Reason": "x"}),
        officer.put(f"{c}/restriction/hold", json={"until": None}),
        officer.delete(f"{c}/restriction"),
        officer.post(f"{c}/restriction", json={"basis": "asked"}),
        users["second"].post(f"{c}/erasure", json={"confirm": id_of(c)}, headers={"Idempotency-Key": "e"}),
    ]
    kinds = ("restricted", "hold_set", "hold_set", "restriction_lifted", "restricted", "erased")
    for sent, kind in zip(steps, kinds, strict=True):
        before = await log.head()
        answer = await sent
        assert answer.status_code in {200, 202, 204}, answer.text
        assert answer.headers["fleetlog-position"].endswith(f":{before + 3}")
        events = await log.after(before, limit=10)
        assert {(event.topic, event.entity_id) for event in events} == {
            (f"driver.{kind}", id_of(one)) for one in (a, b, c)
        }
    again = await users["second"].post(
        f"{c}/erasure", json={"confirm": id_of(c)}, headers={"Idempotency-Key": "e"}
    )
    assert (again.status_code, again.headers["fleetlog-position"]) == (
        202,
        answer.headers["fleetlog-position"],
    )
    assert (await undo(client, c, 2)).status_code == 404
