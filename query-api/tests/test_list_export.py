"""Exports of lists over HTTP."""

import asyncio
import csv
import gzip
import io
from typing import Final

import httpx
import pytest
from query_api_testing.served import FollowedFleet

from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.token_issuer import TokenIssuer
from query_api.paging import routes

EXPORT: Final = "/api/v1/lists/drivers/export"


@pytest.fixture
async def drivers(fleet: FollowedFleet) -> FollowedFleet:
    for number in range(7):
        name = f"=Ravi {number}" if number % 2 else f"Meena {number}"
        fleet.register("driver", f"EMP-{number}", name=name, city="Pune" if number > 1 else "Hosur")
    fleet.remove("driver", "EMP-6")
    return fleet


def rows_of(answer: httpx.Response) -> list[list[str]]:
    assert answer.status_code == 200, answer.text
    text = answer.content.decode()
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline="")))


@pytest.mark.usefixtures("drivers")
@pytest.mark.parametrize("at_once", [50_000, 2])
async def test_export_has_the_rows_of_the_list_in_order(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(routes, "NAMED_AT_ONCE", at_once)
    asked = "columns=name,id&columns=city&headers=Name&headers=Employee%20Number&headers=Home,%20town"
    answer = await client.get(f"{EXPORT}?{asked}&city=pune&sort=name,desc")
    assert rows_of(answer) == [
        ["Name", "Employee Number", "Home, town"],
        ["Meena 4", "EMP-4", "Pune"],
        ["Meena 2", "EMP-2", "Pune"],
        ["'=Ravi 5", "EMP-5", "Pune"],
        ["'=Ravi 3", "EMP-3", "Pune"],
    ]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="drivers.csv"'
    assert answer.headers["cache-control"] == "private, no-store"
    assert rows_of(await client.get(f"{EXPORT}?columns=id&q=unknown")) == [["id"]]
    for cities, found in (("city=hosur&city=Goa", 2), ("city=hosur&city=PUNE", 6)):
        assert rows_of(await client.get(f"{EXPORT}?columns=id&{cities}")) == [
            ["id"],
            *([f"EMP-{number}"] for number in range(found)),
        ]
    whole = rows_of(await client.get(f"{EXPORT}?columns=id"))
    assert whole == [["id"], *([f"EMP-{number}"] for number in range(6))]


@pytest.mark.usefixtures("drivers")
async def test_export_is_compressed_and_answers_head(client: httpx.AsyncClient) -> None:
    path = f"{EXPORT}?columns=name"
    async with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
        packed = b"".join([part async for part in answer.aiter_raw()])
    plain = await client.get(path, headers={"Accept-Encoding": "identity"})
    assert gzip.decompress(packed) == plain.content
    head = await client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == plain.headers["content-type"]


@pytest.mark.usefixtures("drivers")
async def test_export_masks_personal_data_or_is_recorded(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    without = {"Authorization": f"Bearer {issuer.token(permissions=['fleet:read'])}"}
    path = f"{EXPORT}?columns=id,name"
    assert rows_of(await client.get(path, headers=without))[1] == ["EMP-0", "Hidden"]
    for refused in ("city=Pune", "sort=name,asc"):
        answer = await client.get(f"{path}&{refused}", headers=without)
        assert (answer.status_code, answer.json()["missing_permissions"]) == (403, ["personal:read"])
    assert rows_of(await client.get(f"{EXPORT}?columns=id"))
    assert rows_of(await client.get(path))[1] == ["EMP-0", "Meena 0"]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (seen := await _downloads(client)):
            pass
    (view,) = seen
    assert (view["route"], view["fields"], view["filter"]) == (EXPORT, ["name"], {"columns": "id,name"})


async def _downloads(client: httpx.AsyncClient) -> list[dict[str, object]]:
    views = (await client.get("/api/v1/drivers/EMP-0/seen-by")).json()["content"]
    return [view for view in views if view["kind"] == "download"]
