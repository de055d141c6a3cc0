"""Merges in the running product: both records in every answer, races of two command APIs, and kills."""

import asyncio
import random
from collections import Counter
from functools import partial
from itertools import count
from typing import Any

import httpx
import psycopg
import pytest

from ops.testing.conditions import wait_until
from ops.testing.product.bodies import usual_body
from ops.testing.product.read_tables import assert_read_tables_match_log
from ops.testing.service_process import service_process
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"
_numbers = count(1)


def body(**changes: Any) -> dict[str, Any]:
    return {**usual_body("driver", **changes).sent, "id": f"MERGE-{next(_numbers)}"}


def register(http: httpx.Client, **changes: Any) -> str:
    answer = http.post(DRIVERS, json=body(**changes))
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


def merge(http: httpx.Client, into: str, source: str, version: int = 1, **values: Any) -> httpx.Response:
    sent = {"from": source.rpartition("/")[2], "version": version, "values": values}
    answer = http.post(f"{into}/merges", json=sent)
    assert answer.status_code == 200, answer.text
    return answer


def merges(stack: Stack) -> list[tuple[int, str]]:
    statement = "SELECT notification_id, topic FROM log.events WHERE topic LIKE '%.merged%' ORDER BY 1"
    with psycopg.connect(stack.owner_dsn) as connection:
        return connection.execute(statement).fetchall()


def assert_no_half_merge(stack: Stack) -> None:
    found = merges(stack)
    for (first, removed), (second, merged) in zip(found[::2], found[1::2], strict=True):
        assert (first + 1, removed) == (second, f"{merged}_into")


def test_addresses_of_merged_records_redirect_and_histories_stay_readable(stack: Stack) -> None:
    with stack.http() as http, stack.http(stack.token("privacy-officer")) as officer:
        first, second, third = (register(http, name=name) for name in ("Ravi One", "Ravi Two", "Ravi Three"))
        shown = http.get(first)
        merge(http, second, first, name="Ravi Both")
        merge(http, third, second, 2)
        for merged, into in ((first, second), (second, third)):
            redirect = http.get(merged, headers={"If-None-Match": shown.headers["etag"]})
            assert (redirect.status_code, redirect.headers["location"]) == (307, into)
            assert "no-cache" in redirect.headers["cache-control"]
        followed = http.get(first, follow_redirects=True)
        assert followed.json()["driver_by_pk"]["id"] == third.rpartition("/")[2]
        assert http.get(f"{first}?version=1").status_code == 200
        latest = [http.get(f"{one}/history").json()["content"][-1] for one in (first, third)]
        assert [(one["type"], one.get("into"), one.get("source")) for one in latest] == [
            ("driver.merged_into", second.rpartition("/")[2], None),
            ("driver.merged", None, second.rpartition("/")[2]),
        ]
        assert http.get(f"{first}/diff?from=1&to=2").json()["to"]["exists"] is False
        held = officer.get(f"{third}/privacy/held").json()
        assert [one["record"] for one in held["merged"]] == [None, None]
        assert "Ravi One" in str(held["merged"])
        page = officer.get(f"{third}/privacy/held?format=html").text
        assert "Ravi One" in page
        listed = http.get(f"{DRIVERS}?page=0&size=10&q=Ravi").text
        assert [one for one in ("One", "Two", "Both", "Three") if f"Ravi {one}" in listed] == ["Three"]
        events = http.get("/api/v1/audit?type=merged_into&order=desc&limit=2").json()["content"]
        assert [one["into"] for one in events] == [third.rpartition("/")[2], second.rpartition("/")[2]]
        export = http.get("/api/v1/audit?type=merged&order=desc&format=csv").text
        assert export.splitlines()[1].rpartition(",")[2] == events[1]["into"]
        assert http.post(f"{third}/undo", json={"version": 2}).status_code == 200
        assert http.get(second).status_code == 200
        assert http.get(first).headers["location"] == second
        assert officer.post(f"{second}/restriction", json={"basis": "contested"}).status_code == 200
        assert officer.get(first).headers["location"] == second
        assert officer.delete(f"{second}/restriction").status_code == 204
    assert_read_tables_match_log(stack)
    assert_no_half_merge(stack)


@pytest.mark.parametrize("rounds", suite_and_soak(20, 2_000))
async def test_merge_and_change_race_over_two_command_apis(stack: Stack, rounds: int) -> None:
    environment = stack.record().environments["command-api"]
    outcomes = Counter[tuple[int, ...]]()
    async with service_process("command-api", environment) as second:
        headers = {"Authorization": f"Bearer {stack.token()}"}
        addresses = (stack.service_address("command-api"), second.address)
        open_client = partial(httpx.AsyncClient, trust_env=False, headers=headers, timeout=60)
        apis = [open_client(base_url=one) for one in addresses]
        for turn in range(rounds):
            bodies = [body(), body()]
            into, source = [(await apis[0].post(DRIVERS, json=one)).headers["location"] for one in bodies]
            changed = turn % 2
            address, change = (into, source)[changed], bodies[changed] | {"city": "Salem"}
            sent = {"from": bodies[1]["id"], "version": 1, "values": {"city": "Hubli"}}
            condition = {"If-Match": '"1"'}
            pair = [
                apis[turn % 3 % 2].post(f"{into}/merges", json=sent, headers=condition),
                apis[1 - turn % 3 % 2].put(address, json=change, headers=condition),
            ]
            answers = await asyncio.gather(*pair)
            outcome = tuple(answer.status_code for answer in answers)
            # Either the change or the merge comes first, and the other one is refused.
            assert outcome in {(200, 412), (412, 200), (200, 404)}, [one.text for one in answers]
            outcomes[outcome] += 1
        for api in apis:
            await api.aclose()
    print(outcomes)
    assert_no_half_merge(stack)
    assert_read_tables_match_log(stack)


@pytest.mark.parametrize("kills", suite_and_soak(3, 100))
async def test_killed_command_api_leaves_no_half_merge(stack: Stack, kills: int) -> None:
    before = len(merges(stack))
    sent = 0
    done = asyncio.Event()

    def has_sent(wanted: int) -> bool:
        return sent >= wanted

    async def send(
        number: int, http: httpx.AsyncClient, method: str, path: str, **more: Any
    ) -> httpx.Response:
        headers = {"Idempotency-Key": f"{path}-{number}-{random.random()}"}
        while True:
            try:
                answer = await http.request(method, path, headers=headers, **more)
            except httpx.TransportError:
                continue
            if answer.status_code < 500:
                return answer
            await asyncio.sleep(0.05)

    async def keep_merging(number: int) -> None:
        nonlocal sent
        async with stack.async_http() as http:
            while not done.is_set():
                into, source = [
                    (await send(number, http, "POST", DRIVERS, json=body())).headers["location"]
                    for _ in range(2)
                ]
                merged = {"from": source.rpartition("/")[2], "version": 1}
                answer = await send(number, http, "POST", f"{into}/merges", json=merged)
                assert answer.status_code == 200, answer.text
                undone = await send(number, http, "POST", f"{source}/undo", json={"version": 2})
                assert undone.status_code == 200, undone.text
                assert (await send(number, http, "GET", source)).status_code == 200
                sent += 1

    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(keep_merging(number))
        for _ in range(kills):
            await wait_until(partial(has_sent, sent + random.randint(5, 15)))
            pid = stack.kill("command-api")
            await asyncio.to_thread(stack.wait_until_back, "command-api", pid)
        done.set()
    assert len(merges(stack)) == before + 2 * sent
    assert_no_half_merge(stack)
    assert_read_tables_match_log(stack)
