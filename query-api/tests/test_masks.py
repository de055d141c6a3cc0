"""Answers for users without `personal:read` reveal no personal data."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Final

import httpx
from projections_testing.fleet import DETAILS
from query_api_testing.served import AUDIT, FollowedFleet, client_of

from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.base.records.masks import masked_body, masked_record
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app

MASKED: Final = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
LISTS: Final = "/api/v1/lists"
DRIVERS: Final = "/api/v1/drivers"
ONE: Final = f"{DRIVERS}/EMP-1"
MASKED_OF_REQUEST: Final = ["actor.name", "request_id", "client_request_id", "reason"]
"""The fleet's request ids do not have the server's form."""
IDS: Final = {
    "driver": "EMP-1",
    "horse": "HRS-1",
    "trailer": "TRL-1",
    "location": "LOC-1",
    "subscription": "SUB-1",
    "assignment": "ASG-1",
}
ANSWERED: Final = ("etag", "vary", "cache-control", "content-type", "content-length", "fleetlog-as-of")
"""The compared headers."""


def addresses(entity: EntityType) -> Iterator[str]:
    """Yield every address that shows a record."""
    one = f"{entity.path}/{IDS[entity.name]}"
    now = "as_of=2026-11-22T00:00:00Z"
    yield from (f"{one}{query}" for query in ("", "?version=1", f"?{now}", "/history", "/history?order=desc"))
    yield from (f"{one}{query}" for query in ("/diff?from=0&to=1", "/diff?from=1&to=2", "/blame"))
    yield from (f"{entity.path}{query}" for query in ("", f"?{now}", "?page=0", "?q=1&sort=id,desc"))


def shown(answer: httpx.Response) -> tuple[int, bytes, dict[str, str | None]]:
    return answer.status_code, answer.content, {name: answer.headers.get(name) for name in ANSWERED}


def fill(fleet: FollowedFleet, mark: str) -> None:
    """Register, change and remove records whose personal data contains a mark."""
    for entity in ENTITY_TYPES:
        entity_id, usual = IDS[entity.name], DETAILS[entity.name]
        personal = [name for name in entity.personal if name in usual]
        details = {
            name: {mark: mark} if isinstance(usual[name], dict) else f"{mark} {name}" for name in personal
        }
        # The presence of a value is personal data, too.
        empty = dict.fromkeys([name for name in personal if mark == "A" and usual[name] is None])
        fleet.register(entity.name, entity_id, **{**details, **empty})
        changed = {personal[0]: f"{mark} at last"} if personal else {"name": "at last"}
        fleet.change(entity.name, entity_id, **changed)
        fleet.register(entity.name, f"{entity_id}-2", **details)
        fleet.remove(entity.name, f"{entity_id}-2")


async def test_records_and_lists_are_masked(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    for entity in ENTITY_TYPES:
        one = f"{entity.path}/{IDS[entity.name]}"
        full, masked = (await client.get(one)), (await masked_client.get(one))
        assert masked.content == masked_body(entity, full.content)
        for listed in (entity.path, f"{entity.path}?size=5", f"{entity.path}?as_of=2026-11-22T00:00:00Z"):
            content = (await client.get(listed)).json()["content"]
            answer = (await masked_client.get(listed)).json()
            assert content
            assert answer["content"] == [masked_record(entity, item) for item in content]
            assert ("page" in answer) == ("size" in listed)


async def test_masked_and_unmasked_answers_have_different_etags(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    some = (
        entity_type(name) for name in ("driver", "horse", "location")
    )  # all fields are personal; some; none
    for address in (address for entity in some for address in addresses(entity)):
        full, masked = (await client.get(address)), (await masked_client.get(address))
        assert masked.headers["vary"] == "Authorization, Accept-Encoding"
        for one, other, answer in ((client, masked_client, full), (masked_client, client, masked)):
            known = {"If-None-Match": answer.headers["etag"]}
            assert (await one.get(address, headers=known)).status_code == 304
            crossed = await other.get(address, headers=known)
            same = full.content == masked.content and full.headers["etag"] == masked.headers["etag"]
            assert (crossed.status_code == 304) == same, address


async def test_fleets_that_differ_only_in_personal_data_look_the_same(
    fleet: FollowedFleet,
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
) -> None:
    """All queries, including searches for values of one fleet only."""
    asked = [address for entity in ENTITY_TYPES for address in addresses(entity)]
    asked += [f"{entity.path}?q={q}" for entity in ENTITY_TYPES for q in ("A", "A%20name", "nonsense")]
    asked += [f"{AUDIT}?{query}" for query in ("", "q=A%20name", "q=nonsense", "limit=3&order=desc")]
    asked += [f"{AUDIT}?format={kind}{query}" for kind in ("csv", "ndjson") for query in ("", "&q=A%20name")]
    asked += ["/api/v1/access-log", "/api/v1/events?after=0&format=batch"]
    for entity in ENTITY_TYPES:
        columns = ",".join(entity.schema["properties"])
        asked += [f"{LISTS}/{entity.collection}/export?columns={columns}{q}" for q in ("", "&q=A%20name")]
    answers = []
    for mark in "AB":
        fleet.clear()
        fill(fleet, mark)
        app = build_app(settings_with(database=database.query))
        async with serve(app) as origin, client_of(origin, issuer, fleet, permissions=MASKED) as client:
            answers.append({address: shown(await client.get(address)) for address in asked})
    assert answers[0] == answers[1]
    for address, (status, body, _) in answers[0].items():
        assert status == 200, address
        assert b"A name" not in body, address
        assert b"Menon" not in body
        assert b"ravi-kumar.1" not in body
        assert b"telephone" not in body
    assert json.loads(answers[0][f"{DRIVERS}?q=A%20name"][1])["content"] == []


async def test_masked_values_cannot_be_searched(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", owner="Sagar", identifier="Prima")
    for q, everybody in (("sagar", False), ("prima", True), ("hrs-", True)):
        for one, sees in ((client, True), (masked_client, everybody)):
            page = (await one.get(f"/api/v1/horses?q={q}")).json()
            assert page["page"]["totalElements"] == len(page["content"]) == sees
            assert len((await one.get(f"{AUDIT}?q={q}")).json()["content"]) == sees
    for q in ("menon", "telephone", "ravi-kumar.1", "req-1"):  # the name, the reason, the client's id
        assert (await masked_client.get(f"{AUDIT}?q={q}")).json()["content"] == []
        assert (await client.get(f"{AUDIT}?q={q}")).json()["content"]


async def test_masked_fields_cannot_be_sorted_filtered_or_revealed(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    for address in (
        f"{DRIVERS}?sort=name,asc",
        f"{DRIVERS}?sort=passport_number,desc&q=x",
        f"{DRIVERS}?city=Pune",
        f"{DRIVERS}?driving_license_expiry=!..2026-11-21&page=9&size=1",
        "/api/v1/horses?owner=A%20owner&hired=Yes",
        f"{LISTS}/drivers/choices?field=city",
        f"{LISTS}/horses/choices?field=owner",
        f"{LISTS}/horses/choices?field=hired&owner=A%20owner",
        "/api/v1/trailers?sort=assignedDriver,asc",
        f"{ONE}/history?field=name",
        "/api/v1/trailers/TRL-1/history?field=data",
        f"{AUDIT}?field=name",
        f"{AUDIT}?field=owner_name&format=csv",
        f"{AUDIT}?format=csv&reveal=true",
        "/api/v1/due-dates?until=2031-12-31",
    ):
        refused = await masked_client.get(address)
        assert (refused.status_code, refused.json()["missing_permissions"]) == (403, ["personal:read"]), (
            address
        )
        assert (await client.get(address)).status_code == 200, address
        assert (await masked_client.head(address)).status_code == 403, address


async def test_choices_of_masked_users_search_only_harmless_fields(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", hired="Yes", owner="Sagar")
    for q, everybody in (("sagar", 0), ("hrs", 1)):
        for one, count in ((client, 1), (masked_client, everybody)):
            choices = (await one.get(f"{LISTS}/horses/choices?field=hired&q={q}")).json()
            assert choices["choices"] == [{"value": "Yes", "count": 1}][:count]


async def test_masked_users_sort_and_filter_by_harmless_fields(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    fleet.change("horse", "HRS-1", identifier="Prima 4930", hired="Yes")
    for address in (
        "/api/v1/trailers?sort=capacity,asc",
        "/api/v1/horses?hired=YES&q=prima",
        "/api/locations?country=india&location_type=HUB&location_type=warehouse",
        "/api/locations/LOC-1/history?field=name",
        f"{AUDIT}?field=identifier",
        f"{AUDIT}?field=name&entity=location",
    ):
        answer = await masked_client.get(address)
        assert answer.status_code == 200, address
        assert answer.json()["content"], address


async def test_masked_history_names_users_times_and_fields(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", owner=None, hired="Yes")
    fleet.change("horse", "HRS-1", owner="Sagar", hired="No")
    first, second = (await masked_client.get("/api/v1/horses/HRS-1/history")).json()["content"]
    assert first["actor"] == {"sub": "dev|asha", "name": None}
    assert (first["reason"], first["client_request_id"]) == (None, None)
    hidden = ["owner", "metadata", "description"]  # whether there was an owner or not
    assert first["masked"] == [*hidden, *MASKED_OF_REQUEST]
    assert {"field": "owner", "from": None, "to": None} in first["changes"]
    assert second["changes"] == [
        {"field": "owner", "from": None, "to": None},
        {"field": "hired", "from": "Yes", "to": "No"},
    ]
    assert second["masked"] == ["owner", *MASKED_OF_REQUEST]
    in_trail = (await masked_client.get(AUDIT)).json()["content"]
    assert [entry["masked"] for entry in in_trail] == [first["masked"], second["masked"]]


async def test_request_id_of_the_server_is_not_masked(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1")
    own = "0123456789abcdef0123456789abcdef"
    await fleet.catch_up()
    fleet.connection.execute("UPDATE read.revisions SET request_id = %s", (own,))
    (entry,) = (await masked_client.get("/api/v1/horses/HRS-1/history")).json()["content"]
    assert entry["request_id"] == own
    assert "request_id" not in entry["masked"]
    assert len((await masked_client.get(f"{AUDIT}?q={own[:9]}")).json()["content"]) == 1


async def test_masked_diff_lists_all_personal_fields(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", owner="Sagar", hired="Yes")
    fleet.change("horse", "HRS-1", owner="Another")
    fleet.change("horse", "HRS-1", owner="Sagar", hired="No")
    differs, back = [
        (await masked_client.get(f"/api/v1/horses/HRS-1/diff?from=1&to={version}")).json()
        for version in (2, 3)
    ]
    assert differs["masked"] == back["masked"] == ["owner", "metadata", "description"]
    assert [change for change in back["changes"] if change not in differs["changes"]] == [
        {"field": "hired", "from": "Yes", "to": "No"}
    ]


async def test_masked_blame_has_versions_without_values(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", owner="Sagar")
    fleet.change("horse", "HRS-1", owner="Another")
    blame = (await masked_client.get("/api/v1/horses/HRS-1/blame")).json()
    assert blame["masked"] == ["owner", "metadata", "description", "actor.name"]
    (owner,) = (field for field in blame["fields"] if field["field"] == "owner")
    assert (owner["value"], owner["version"]) == (None, 2)
    assert owner["actor"] == {"sub": "dev|asha", "name": None}


async def test_masked_export_masks_published_free_text(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("horse", "HRS-1", description="of Sagar")
    await fleet.catch_up()
    fleet.connection.execute("UPDATE read.revisions SET personal = '[\"owner\"]'")
    for kind in ("csv", "ndjson"):
        answers = [(await one.get(f"{AUDIT}?format={kind}")).text for one in (client, masked_client)]
        assert ["of Sagar" in answer for answer in answers] == [True, False]
    rows = list(csv.DictReader(io.StringIO((await masked_client.get(f"{AUDIT}?format=csv")).text)))
    values = {row["field"]: row["to"] for row in rows}
    assert values["identifier"] == '"Prima 4928"'
    assert values["owner"] == values["metadata"] == values["description"] == "[masked]"
    assert {row["reason"] for row in rows} == {"[masked]"}


async def test_masked_access_log_has_no_names_and_searches(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    await client.get(f"{AUDIT}?format=csv&reveal=true&q=Ravi")
    (access,) = (await masked_client.get("/api/v1/access-log")).json()["content"]
    assert access["actor"] == {"sub": "dev|asha", "name": None}
    assert access["details"] == {"format": "csv", "filter": None}
    assert access["masked"] == ["actor.name", "details.filter"]


async def test_unmasked_answers_list_no_masked_fields(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fill(fleet, "A")
    for entity in ENTITY_TYPES:
        for address in addresses(entity):
            assert b'"masked"' not in (await client.get(address)).content


async def test_masked_export_has_no_actor_where_there_is_none(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.insert("horse:HRS-9", 1, "horse.moved")  # which nothing can decode
    (row,) = csv.DictReader(io.StringIO((await masked_client.get(AUDIT, params={"format": "csv"})).text))
    assert (row["actor_sub"], row["actor_name"], row["reason"]) == ("", "", "[masked]")
