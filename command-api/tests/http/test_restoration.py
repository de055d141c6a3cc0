"""POST to `restore`, and the reasons that changes are given."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from command_api_testing.fleet import (
    CHANGED,
    ENTITIES,
    new_body,
    path_of,
    register,
    unwrap,
    version_of,
    without_times,
)
from command_api_testing.log_in_memory import LogInMemory, stored_members


async def register_and_change(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    address, record = await register(client, entity)
    changed = await client.put(address, json={**record, **CHANGED[entity]})
    assert version_of(changed) == 2, changed.text
    return address, record


@pytest.mark.parametrize("entity", ENTITIES)
async def test_version_is_restored_by_a_new_version(client: httpx.AsyncClient, entity: str) -> None:
    address, first = await register_and_change(client, entity)
    answer = await client.post(f"{address}/restore", json={"version": 1}, headers={"If-Match": '"2"'})
    assert (answer.status_code, version_of(answer)) == (200, 3), answer.text
    assert without_times(unwrap(entity, answer.json())) == without_times(first)
    again = await client.post(f"{address}/restore", json={"version": 1})
    assert (again.status_code, version_of(again)) == (200, 3)  # unchanged


async def test_restoration_checks_version_and_etag(client: httpx.AsyncClient) -> None:
    address, _ = await register_and_change(client, "driver")
    await client.delete(address)
    outdated = await client.post(f"{address}/restore", json={"version": 1}, headers={"If-Match": '"2"'})
    assert (outdated.status_code, outdated.json()["current_version"]) == (412, 3)
    for version in (3, 4, 2**53 - 1):  # its removal, and unknown versions
        refused = await client.post(f"{address}/restore", json={"version": version})
        assert (refused.status_code, refused.json()["validation_errors"][0]["field"]) == (422, "version")
    unknown = await client.post(f"{path_of('driver')}/UNKNOWN/restore", json={"version": 1})
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"requested by telephone", "requested by telephone"),
        (quote("पते में बदलाव").encode(), "पते में बदलाव"),
        ("Bänder".encode(), "Bänder"),
        (b"100%25", "100%"),
        (b"%20", None),
        (quote("न" * 500).encode(), "न" * 500),
    ],
)
async def test_reason_is_stored_with_the_event(
    client: httpx.AsyncClient, log: LogInMemory, sent: bytes, kept: str | None
) -> None:
    answer = await client.post(path_of("horse"), json=new_body("horse"), headers=[(b"X-Change-Reason", sent)])
    assert answer.status_code == 201, answer.text
    (event,) = log.stream(f"horse:{answer.json()['id']}")
    assert stored_members(event)["metadata"].get("reason") == kept


@pytest.mark.parametrize(
    "sent", [b"x" * 501, b"50% more", b"%00", b"%0A", b"%FF", b"\xff", quote("न" * 501).encode()]
)
async def test_invalid_reason_is_refused(client: httpx.AsyncClient, sent: bytes) -> None:
    answer = await client.post(path_of("horse"), json=new_body("horse"), headers=[(b"X-Change-Reason", sent)])
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:fleetlog:problem:invalid-header")


async def test_control_characters_in_old_events_are_readable_and_restorable(
    client: httpx.AsyncClient, log: LogInMemory
) -> None:
    posted = await client.post(path_of("horse"), json=new_body("horse", owner="Asha"))
    address = posted.headers["location"]
    (event,) = log.stream(f"horse:{address.rpartition('/')[2]}")
    state = json.dumps(stored_members(event), ensure_ascii=False).encode()
    log.replace(replace(event, state=state.replace(b"Asha", b"A\\u000bsha\xc2\x85")))

    changed = await client.put(address, json=new_body("horse", owner="Mei"))
    assert (changed.status_code, version_of(changed)) == (200, 2), changed.text
    restored = await client.post(f"{address}/restore", json={"version": 1})
    assert (restored.status_code, restored.json()["owner"]) == (200, "A\x0bsha\x85")
    refused = await client.put(address, json=restored.json())
    assert [error["field"] for error in refused.json()["validation_errors"]] == ["owner"]
