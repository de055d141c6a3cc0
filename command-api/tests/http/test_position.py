"""The position in a command's answer, from which queries show the change."""

from collections.abc import Awaitable, Callable

import httpx
import pytest
from command_api_testing.fleet import new_body, path_of
from command_api_testing.log_in_memory import LogInMemory

from ops.base.http.consistency import POSITION_COOKIE, POSITION_HEADER, LogPosition
from ops.base.permissions import Permission


async def post_horse(client: httpx.AsyncClient, **headers: str) -> httpx.Response:
    client.cookies.clear()
    answer = await client.post(path_of("horse"), json=new_body("horse"), headers=headers)
    assert answer.status_code == 201
    return answer


def position_of(answer: httpx.Response) -> LogPosition:
    position = LogPosition.parse(answer.headers[POSITION_HEADER])
    assert position is not None
    return position


async def test_header_and_cookie_carry_the_same_position_for_a_minute(client: httpx.AsyncClient) -> None:
    answer = await post_horse(client)

    assert answer.cookies[POSITION_COOKIE] == answer.headers[POSITION_HEADER]
    attributes = answer.headers["set-cookie"].lower().split("; ")
    assert {"httponly", "samesite=lax", "max-age=60", "path=/"} <= set(attributes)
    assert "secure" not in attributes


async def test_over_https_the_cookie_stays_on_https(client: httpx.AsyncClient) -> None:
    answer = await post_horse(client, **{"X-Forwarded-Proto": "https"})

    assert "secure" in answer.headers["set-cookie"].lower().split("; ")


async def test_cookie_is_secure_behind_an_https_address(
    users_of: Callable[..., Awaitable[dict[str, httpx.AsyncClient]]], log: LogInMemory
) -> None:
    """uvicorn ignores the forwarded scheme of a gateway on another machine."""
    users = await users_of(log, {"asha": Permission}, public_address="https://fleet.example")
    answer = await post_horse(users["asha"])

    assert "secure" in answer.headers["set-cookie"].lower().split("; ")


async def test_answer_has_the_larger_of_own_and_received_position(client: httpx.AsyncClient) -> None:
    older = await post_horse(client)
    newer = position_of(await post_horse(client))

    answer = await client.delete(older.headers["location"])
    behind = await client.delete(older.headers["location"], headers={POSITION_HEADER: str(newer)})

    assert position_of(answer).position == position_of(behind).position == newer.position + 1
    latest = position_of(await post_horse(client))
    again = await client.delete(older.headers["location"], headers={POSITION_HEADER: str(latest)})
    assert position_of(again) == latest


async def test_refusal_has_the_position_of_its_reason(
    client: httpx.AsyncClient,
) -> None:
    address, body = (await post_horse(client)).headers["location"], new_body("horse")
    again = {**body, "id": address.rsplit("/", 1)[1]}
    stale = {"If-Match": '"1"'}

    changed = position_of(await client.put(address, json={**body, "owner": "New"}))
    client.cookies.clear()
    stale_change = await client.put(address, json=body, headers=stale)
    client.cookies.clear()
    stale_removal = await client.delete(address, headers=stale)
    client.cookies.clear()
    id_in_use = await client.post(path_of("horse"), json=again)
    removed = position_of(await client.delete(address))
    client.cookies.clear()
    gone = await client.put(address, json=body)

    for answer, status, position in (
        (stale_change, 412, changed),
        (stale_removal, 412, changed),
        (id_in_use, 409, changed),
        (gone, 404, removed),
    ):
        assert (answer.status_code, position_of(answer)) == (status, position)
        assert answer.cookies[POSITION_COOKIE] == str(position)


async def test_refusal_keeps_the_clients_newer_position(client: httpx.AsyncClient) -> None:
    older = await post_horse(client)
    newer = position_of(await post_horse(client))

    for address in (older.headers["location"], path_of("horse") + "/UNKNOWN"):
        headers = {"If-Match": '"7"', POSITION_HEADER: str(newer)}
        refusal = await client.put(address, json=new_body("horse"), headers=headers)

        assert refusal.status_code in (404, 412)
        assert position_of(refusal) == newer


@pytest.mark.parametrize(
    "claim", ["nonsense", "0" * 32 + ":9", "{log}:999999999", "{log}:-1", "{log}:1e3", "é"]
)
async def test_impossible_position_is_ignored(client: httpx.AsyncClient, claim: str) -> None:
    before = position_of(await post_horse(client))

    client.cookies.clear()
    header = (POSITION_HEADER.encode(), claim.format(log=before.log_id).encode())
    answer = await client.post(path_of("horse"), json=new_body("horse"), headers=[header])

    assert position_of(answer).position == before.position + 1
