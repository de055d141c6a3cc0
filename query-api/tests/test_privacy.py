"""Restricted records are masked, erased ones are gone, and privacy officers see their status."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from projections_testing.encrypted_fleet import encrypt
from projections_testing.fleet import METADATA, SOMEBODY_ELSE
from projections_testing.planted import PLANTED
from query_api_testing.served import AUDIT, FollowedFleet, at, client_of, get_json, viewed

from ops.base.encryption.stores import KeyStore
from ops.base.permissions import OF_STAFF, Permission
from ops.base.records.entities import entity_type
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.paging import statement as list_statement

DRIVERS = "/api/v1/drivers"
DRIVER = f"{DRIVERS}/EMP-1"
REQUESTS = "/api/v1/privacy/requests"
OFFICER = "dev|tove"
CIRCUMSTANCES = ("actor.name", "request_id", "client_request_id", "reason")


class Served(NamedTuple):
    """A fleet, and clients of its query API: staff and a privacy officer."""

    fleet: FollowedFleet
    staff: httpx.AsyncClient
    officer: httpx.AsyncClient


both = pytest.mark.parametrize("served", ["encrypted", "plaintext"], indirect=True)


@pytest.fixture
async def served(
    request: pytest.FixtureRequest, fleet: FollowedFleet, store: KeyStore, origin: str, issuer: TokenIssuer
) -> AsyncIterator[Served]:
    """Two drivers with the same planted values, encrypted by default."""
    if getattr(request, "param", "encrypted") == "encrypted":
        await encrypt(fleet, store)
    for entity_id in ("EMP-1", "EMP-2"):
        fleet.register("driver", entity_id)
        fleet.change("driver", entity_id, **PLANTED["driver"])
    permitted = OF_STAFF | {Permission.AUDIT_REVEAL}
    officers = permitted | {Permission.PRIVACY_RESTRICT}
    async with (
        client_of(origin, issuer, fleet, sub="dev|asha", permissions=sorted(permitted)) as staff,
        client_of(origin, issuer, fleet, sub=OFFICER, permissions=sorted(officers)) as officer,
    ):
        yield Served(fleet, staff, officer)


async def standing(served: Served) -> dict[str, Any]:
    answer = await served.officer.get(f"{DRIVER}/privacy")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-store")
    body: dict[str, Any] = answer.json()
    return body


@both
async def test_privacy_status_from_restriction_to_new_registration(served: Served) -> None:
    fleet = served.fleet
    assert (await served.officer.get(f"{DRIVERS}/EMP-9/privacy")).status_code == 404
    before = await standing(served)
    assert (before["state"], before["events"], before["basis"]) == ("active", 2, None)
    assert before["in_the_clear"] == (0 if fleet.key_ids else 2)
    assert set(before["fields"]) >= {"name", "city"}
    assert (await get_json(served.officer, REQUESTS))["content"] == []

    fleet.restrict("driver", "EMP-1")
    fleet.set_hold("driver", "EMP-1", None)
    fleet.restrict("driver", "EMP-2", "contested")
    fleet.set_hold("driver", "EMP-2", date(2026, 12, 23))
    fleet.set_hold("driver", "EMP-2", None)
    for client in (served.staff, served.officer):
        *others, held, ended = (await get_json(client, f"{DRIVERS}/EMP-2/history"))["content"]
        assert (held["hold_until"], ended["hold_until"]) == ("2026-12-23", None)
        assert not any("hold_until" in entry for entry in others)
    asked = await standing(served)
    assert (asked["state"], asked["basis"], asked["due"]) == ("restricted", "asked", "2026-12-21")
    assert asked["asked_by"] == {"sub": METADATA.actor.sub, "name": METADATA.actor.name}
    assert asked["fields"] == before["fields"]
    requests = (await get_json(served.officer, REQUESTS))["content"]
    assert [(one["id"], one["state"], one["version"]) for one in requests] == [
        ("EMP-2", "restricted", None),
        ("EMP-1", "restricted", None),
    ]

    fleet.lift("driver", "EMP-2")
    fleet.erase("driver", "EMP-1")
    erasing = await standing(served)
    assert (erasing["state"], erasing["receipt"], erasing["fields"]) == ("erasing", False, [])
    assert erasing["asked_by"] == {"sub": METADATA.actor.sub, "name": None}
    assert erasing["erased_by"] == {"sub": SOMEBODY_ELSE.actor.sub, "name": None}
    assert erasing["erased_at"]
    assert (await served.officer.get(f"{DRIVER}/privacy/receipt")).status_code == 404

    fleet.connection.execute(
        "INSERT INTO privacy.erasures (entity, entity_id, version, position, receipt, issued_at)"
        " VALUES ('driver', 'EMP-1', 4, 1, '{\"signed\":true}', now())"
    )
    assert (await standing(served))["state"] == "erased"
    (request,) = (await get_json(served.officer, REQUESTS))["content"]
    assert (request["id"], request["state"], request["version"], request["receipt"]) == (
        *("EMP-1", "erased", 4),
        True,
    )
    receipt = await served.officer.get(f"{DRIVER}/privacy/receipt")
    assert receipt.json() == {"signed": True}
    assert receipt.headers["content-disposition"].startswith("attachment; ")

    fleet.register("driver", "EMP-1")
    again = await standing(served)
    assert (again["state"], again["events"], again["receipt"]) == ("active", 1, False)
    assert "name" in again["fields"]
    assert (await served.officer.get(f"{DRIVER}/privacy/receipt?version=4")).json() == {"signed": True}


def words(text: str) -> list[str]:
    """Return the planted values and user names in a text."""
    planted = [*PLANTED["driver"].values(), METADATA.actor.name, METADATA.reason]
    return [word for word in planted if isinstance(word, str) and word in text]


PAST = (
    *(f"{DRIVER}/history", f"{DRIVER}/diff?from=1&to=2", f"{DRIVER}/blame", f"{DRIVER}/blame?version=2"),
    *(f"{DRIVER}?version=2", f"{DRIVER}?as_of={at(3)}", DRIVER),
)
AUDITS = (
    f"{AUDIT}?id=EMP-1",
    f"{AUDIT}?id=EMP-1&q=emp",
    f"{AUDIT}?format=csv&id=EMP-1",
    f"{AUDIT}?format=ndjson&id=EMP-1",
)
LISTS = (
    *(DRIVERS, f"{DRIVERS}?page=0&size=5", f"{DRIVERS}?sort=name,asc", f"{DRIVERS}?sort=city,desc"),
    f"{DRIVERS}?as_of={at(4)}",
)


@both
async def test_restricted_record_is_masked_everywhere(served: Served) -> None:
    shown = {path: (await served.staff.get(path)).text for path in (*PAST, *AUDITS[:2], *LISTS)}
    tags = {path: (await served.staff.get(path)).headers.get("etag") for path in shown}
    assert all(words(text) for text in shown.values())
    served.fleet.restrict("driver", "EMP-1")
    for path in (*PAST, *AUDITS):
        to_staff = (await served.staff.get(path)).text
        assert not words(to_staff), path
        assert '"masked"' in to_staff or "[masked]" in to_staff or "format=ndjson" in path, path
    for path in (*PAST, *AUDITS[:2]):
        to_officer = await get_json(served.officer, path)
        assert words(str(to_officer)), path
        assert "masked" not in to_officer
    for client in (served.staff, served.officer):
        for path in LISTS:
            answer = await client.get(path, headers={"If-None-Match": tags[path]})
            rows = {row["id"]: row for row in answer.json()["content"]}
            assert rows["EMP-1"]["masked"] == [name for name in rows["EMP-1"] if name not in {"id", "masked"}]
            assert all(rows["EMP-1"][name] is None for name in rows["EMP-1"]["masked"])
            assert words(str(rows["EMP-2"])), path
    assert {path: (await served.staff.get(path)).status_code for path in PAST} == dict.fromkeys(PAST, 200)

    served.fleet.lift("driver", "EMP-1")
    for path in (*PAST, *LISTS):
        text = (await served.staff.get(path)).text
        assert words(text), path
        assert '"masked"' not in text, path


@both
async def test_restricted_record_is_not_searched_and_listed_last(served: Served) -> None:
    name = PLANTED["driver"]["name"]
    served.fleet.restrict("driver", "EMP-1")
    for client in (served.staff, served.officer):
        for q in (name, "emp-1", ""):
            page = await get_json(client, DRIVERS, page=0, sort="name,asc", **({"q": q} if q else {}))
            found = [row["id"] for row in page["content"]]
            assert found == {name: ["EMP-2"], "emp-1": [], "": ["EMP-2", "EMP-1"]}[q]
            assert page["page"]["totalElements"] == len(found)
    found = [one["id"] for one in (await get_json(served.staff, AUDIT, q=name))["content"]]
    assert found == ["EMP-2"]
    found = [one["id"] for one in (await get_json(served.officer, AUDIT, q=name))["content"]]
    assert found == ["EMP-1", "EMP-2", "EMP-1"]  # and its restriction, by that user


async def test_changes_of_a_restricted_record_are_not_found_by_personal_fields(served: Served) -> None:
    async def found(client: httpx.AsyncClient, field: str) -> set[str]:
        return {one["id"] for one in (await get_json(client, AUDIT, field=field))["content"]}

    served.fleet.restrict("driver", "EMP-1")
    assert (await found(served.staff, "city"), await found(served.officer, "city")) == (
        {"EMP-2"},
        {"EMP-1", "EMP-2"},
    )
    refused = await served.staff.get(f"{DRIVER}/history", params={"field": "city"})
    assert (refused.status_code, refused.json()["missing_permissions"]) == (403, ["privacy:restrict"])
    assert words(str(await get_json(served.officer, f"{DRIVER}/history", field="city")))


async def test_masked_changes_are_not_recorded_as_views(served: Served, database: Database) -> None:
    served.fleet.restrict("driver", "EMP-1")
    for parameters in ({"id": "EMP-1"}, {}):
        assert len((await get_json(served.staff, AUDIT, **parameters))["content"]) > 2
    await wait_until(lambda: viewed(database) == 1)
    with psycopg.connect(database.owner) as owner:
        recorded = owner.execute("SELECT details #>> '{views,0,6}' FROM audit.accesses").fetchall()
    assert recorded == [("2",)], "only those of EMP-2"


async def test_long_list_masks_restricted_records(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_statement, "LIST_BYTES", 10)
    list_statement._all_rows.cache_clear()
    try:
        served.fleet.restrict("driver", "EMP-1")
        for client in (served.staff, served.officer):
            rows = (await get_json(client, DRIVERS))["content"]
            assert [bool(words(str(row))) for row in rows] == [False, True]
            assert rows[0]["masked"]
    finally:
        list_statement._all_rows.cache_clear()


@both
async def test_erased_record_is_gone_and_a_new_registration_is_shown(served: Served) -> None:
    served.fleet.restrict("driver", "EMP-1")
    served.fleet.erase("driver", "EMP-1")
    for client in (served.staff, served.officer):
        for path in (*PAST, *AUDITS, f"{AUDIT}?format=csv&id=EMP-1&reveal=true", *LISTS):
            answer = await client.get(path)
            text = answer.text
            if path in LISTS:
                text = str([row for row in answer.json()["content"] if row["id"] == "EMP-1"])
            assert not words(text), path
        missing = await client.get(DRIVER)
        assert (missing.status_code, "fleetlog-consistency" in missing.headers) == (404, False)
        assert [row["id"] for row in (await get_json(client, DRIVERS))["content"]] == ["EMP-2"]
        history = (await get_json(client, f"{DRIVER}/history"))["content"]
        assert [one["type"] for one in history] == [
            *("driver.registered", "driver.details_changed", "driver.restricted", "driver.erased")
        ]
        assert all("actor.name" in one["erased"] for one in history)
        assert set(history[0]["erased"]) >= set(entity_type("driver").personal)
        for one in history[:2]:
            assert one["erased"] == [*(change["field"] for change in one["changes"]), *CIRCUMSTANCES]
            assert all((change["from"], change["to"]) == (None, None) for change in one["changes"])
            assert (one["actor"]["name"], one["reason"], one["request_id"]) == (None, None, None)
        record = (await get_json(client, f"{DRIVER}?version=2"))["driver_by_pk"]
        assert record["erased"] == [name for name in record if name not in {"id", "erased"}]
        assert all(record[name] is None for name in record["erased"])
        diff = await get_json(client, f"{DRIVER}/diff?from=1&to=2")
        assert (diff["changes"], set(diff["erased"])) == ([], set(record["erased"]))
        blamed = await get_json(client, f"{DRIVER}/blame?version=2")
        assert all(field["value"] is None and field["version"] for field in blamed["fields"])
        assert (await get_json(client, AUDIT, q=PLANTED["driver"]["name"], id="EMP-1"))["content"] == []

    served.fleet.register("driver", "EMP-1", **PLANTED["driver"])
    assert words((await served.staff.get(DRIVER)).text)
    history = (await get_json(served.staff, f"{DRIVER}/history"))["content"]
    assert ["erased" in one for one in history] == [True, True, True, True, False]
    assert not words(str(history[:4]))
    assert words(str(history[4]))


async def test_removed_record_is_masked_and_erased(served: Served) -> None:
    served.fleet.remove("driver", "EMP-1")
    served.fleet.restrict("driver", "EMP-1")
    missing = await served.staff.get(DRIVER)
    assert (missing.status_code, "fleetlog-consistency" in missing.headers) == (404, False)
    assert not words((await served.staff.get(f"{DRIVER}/history")).text)
    assert words((await served.officer.get(f"{DRIVER}?version=2")).text)
    assert (await standing(served))["fields"] == []
    served.fleet.erase("driver", "EMP-1")
    assert not words((await served.officer.get(f"{DRIVER}/history")).text)


async def test_masked_answers_are_not_recorded(served: Served, database: Database) -> None:
    served.fleet.restrict("driver", "EMP-1")
    for client in (served.staff, served.officer):
        for path in PAST:
            await client.get(path)
    await wait_until(lambda: viewed(database) == len(PAST))
    with psycopg.connect(database.owner) as owner:
        rows = owner.execute(
            "SELECT DISTINCT who ->> 'sub' FROM audit.accesses"
            " CROSS JOIN json_array_elements(details -> 'who') AS who"
        ).fetchall()
    assert rows == [(OFFICER,)]
