"""Due dates of drivers' documents: over HTTP, by index, and encrypted."""

from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any, Final

import httpx
import pytest
from projections_testing.encrypted_fleet import erase
from projections_testing.fleet import DETAILS, METADATA
from query_api_testing.served import FollowedFleet, recorded_views, viewed

from ops.base.database.connection import connect
from ops.base.database.pools import Pool
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.base.records.json_values import json_bytes
from ops.base.records.signed_links import LASTING, SignedLink, acknowledge_purpose
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from projections.entity_tables.search_terms import refill
from query_api.due import DRIVERS, DueParameters, due_date, due_statement, load_due_dates
from read_model.tables.acknowledgements import DOCUMENTS

DUE: Final = "/api/v1/due-dates"
PASSPORT, LICENCE = "passport_expiry_date", "driving_license_expiry"
NOT_ACKNOWLEDGED: Final = {"acknowledged": False, "acknowledged_until": None}
FAR: Final = {PASSPORT: "2090-01-01", LICENCE: "2090-01-01"}


def listed(answer: httpx.Response) -> list[tuple[str, str, str]]:
    assert answer.status_code == 200, answer.text
    return [(one["driver"], one["document"], one["date"]) for one in answer.json()["content"]]


class TestAsked:
    @pytest.fixture
    def fleet(self, fleet: FollowedFleet) -> FollowedFleet:
        fleet.register("driver", "EMP-1", **{PASSPORT: "2026-12-01", LICENCE: "2026-10-01"})
        fleet.register("driver", "EMP-2", **FAR)
        return fleet

    @pytest.mark.usefixtures("fleet")
    async def test_due_dates_name_driver_document_and_phone(self, client: httpx.AsyncClient) -> None:
        driver = {"driver": "EMP-1", "name": "Ravi Kumar", "mobile_number": "+91 98450 12345"}
        answer = await client.get(DUE, params={"until": "2026-12-01"})
        assert answer.json() == {
            "content": [
                {**driver, "document": "licence", "date": "2026-10-01", **NOT_ACKNOWLEDGED},
                {**driver, "document": "passport", "date": "2026-12-01", **NOT_ACKNOWLEDGED},
            ],
            "page": {"size": 100, "number": 0, "totalElements": 2, "totalPages": 1},
        }
        assert answer.headers["cache-control"] == "private, no-cache, no-transform"
        known = {"If-None-Match": answer.headers["etag"]}
        again = await client.get(DUE, params={"until": "2026-12-01"}, headers=known)
        assert (again.status_code, again.content) == (304, b"")

    async def test_reading_and_counting_due_dates_is_recorded(
        self, client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
    ) -> None:
        counted = await client.get(DUE, params={"until": "2026-12-01", "page": 2**31 - 1, "size": 1})
        assert (counted.json()["content"], counted.json()["page"]["totalElements"]) == ([], 2)
        seen = await client.get(DUE, params={"until": "2026-12-01", "document": "licence"})
        await wait_until(lambda: viewed(database) == 2)
        count, one = recorded_views(fleet.connection)
        assert (count["request_id"], count["count"]) == (counted.headers["x-request-id"], 0)
        assert (one["request_id"], one["route"], one["kind"]) == (seen.headers["x-request-id"], DUE, "due")
        assert one["fields"] == ["name", "mobile_number_1", LICENCE, PASSPORT]
        assert (one["filter"], one["count"]) == ({"until": "2026-12-01", "document": "licence"}, 1)


class TestAcknowledged:
    @pytest.fixture
    def fleet(self, encrypted_fleet: FollowedFleet) -> FollowedFleet:
        for entity_id in ("EMP-1", "EMP-2"):
            encrypted_fleet.register("driver", entity_id, **{PASSPORT: "2026-12-01", LICENCE: "2026-10-01"})
        return encrypted_fleet

    @staticmethod
    def acknowledge(fleet: FollowedFleet, entity_id: str, document: Any, until: date | None = None) -> None:
        fleet.append(fleet.aggregate("driver", entity_id).acknowledge(document, until, METADATA))

    @staticmethod
    async def marks(client: httpx.AsyncClient) -> dict[tuple[str, str], str | None]:
        """Return the days until which reminders are acknowledged."""
        answer = await client.get(DUE, params={"until": "2090-01-01"})
        content = answer.json()["content"]
        assert all(one["acknowledged"] or one["acknowledged_until"] is None for one in content)
        return {
            (one["driver"], one["document"]): one["acknowledged_until"]
            for one in content
            if one["acknowledged"]
        }

    async def test_acknowledgement_lasts_until_the_documents_last_day_is_changed(
        self, client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        self.acknowledge(fleet, "EMP-1", "licence")
        self.acknowledge(fleet, "EMP-2", "passport")
        both = {("EMP-1", "licence"): None, ("EMP-2", "passport"): None}
        assert await self.marks(client) == both
        fleet.change("driver", "EMP-1", **{PASSPORT: "2027-01-01", "city": "Mysuru"})
        assert await self.marks(client) == both
        fleet.change("driver", "EMP-1", **{LICENCE: "2027-02-02"})
        fleet.remove("driver", "EMP-2")
        fleet.register("driver", "EMP-2", **{PASSPORT: "2026-12-01", LICENCE: "2026-10-01"})
        assert await self.marks(client) == {}
        self.acknowledge(fleet, "EMP-1", "licence")
        assert await self.marks(client) == {("EMP-1", "licence"): None}

    async def test_acknowledgement_lasts_until_its_day_and_the_last_one_counts(
        self, client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        today = datetime.now(UTC).date()
        later = today + timedelta(days=2)
        self.acknowledge(fleet, "EMP-1", "licence", later)
        self.acknowledge(fleet, "EMP-1", "passport")
        self.acknowledge(fleet, "EMP-2", "licence", today)
        assert await self.marks(client) == {("EMP-1", "licence"): str(later), ("EMP-1", "passport"): None}
        self.acknowledge(fleet, "EMP-1", "passport", today)
        assert await self.marks(client) == {("EMP-1", "licence"): str(later)}

    async def test_acknowledgement_changes_the_entity_tag_and_no_record(
        self, client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        params = {"until": "2090-01-01"}
        record = (await client.get("/api/v1/drivers/EMP-1")).content
        etag = (await client.get(DUE, params=params)).headers["etag"]
        self.acknowledge(fleet, "EMP-1", "licence")
        answer = await client.get(DUE, params=params, headers={"If-None-Match": etag})
        assert (answer.status_code, answer.json()["content"][0]["acknowledged"]) == (200, True)
        assert (await client.get("/api/v1/drivers/EMP-1")).content == record

    async def test_history_and_audit_trail_show_the_document_and_the_day(
        self, client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        self.acknowledge(fleet, "EMP-1", "licence", date(2027, 3, 3))
        self.acknowledge(fleet, "EMP-1", "passport")
        expected = [("licence", "2027-03-03"), ("passport", None)]
        kind = {"type": "reminder_acknowledged", "order": "asc"}
        for each in (client, masked_client):
            for path in ("/api/v1/drivers/EMP-1/history", "/api/v1/audit"):
                content = (await each.get(path, params=kind if "audit" in path else {})).json()["content"]
                found = [one for one in content if one["type"] == "driver.reminder_acknowledged"]
                assert [(one["document"], one["until"]) for one in found] == expected
                assert all(one["changes"] == [] for one in found)
                assert not any("document" in one for one in content if one not in found)

    async def test_acknowledgements_of_a_driver_name_their_authors(
        self, client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        address = "/api/v1/drivers/EMP-1/acknowledgements"
        assert (await client.get(address)).json() == {"content": []}
        for until in (None, date(2027, 3, 3)):
            self.acknowledge(fleet, "EMP-1", "licence", until)
        self.acknowledge(fleet, "EMP-1", "passport")
        self.acknowledge(fleet, "EMP-2", "passport")
        expected = [("licence", "2027-03-03"), ("passport", None)]
        for each, name in ((client, METADATA.actor.name), (masked_client, None)):
            content = (await each.get(address)).json()["content"]
            assert [(one["document"], one["until"]) for one in content] == expected
            assert content[0]["actor"] == {"sub": METADATA.actor.sub, "name": name}
        fleet.change("driver", "EMP-1", **{PASSPORT: "2027-01-01"})
        assert [one["document"] for one in (await client.get(address)).json()["content"]] == ["licence"]

    async def test_link_of_a_mail_is_checked_for_its_purpose_and_time(
        self, client: httpx.AsyncClient, fleet: FollowedFleet
    ) -> None:
        fleet.register("subscription", "SUB-1")
        assert (await client.get("/api/v1/subscriptions/SUB-1")).status_code == 200  # projected
        ((key_id,),) = fleet.connection.execute("SELECT key_id FROM read.subscriptions").fetchall()
        key, today = KEYS.get(key_id), datetime.now(UTC).date()
        assert key is not None
        purpose = acknowledge_purpose("EMP-1", "licence")
        link = SignedLink.sign(key, "SUB-1", purpose, today)

        async def check(link: object, driver: str = "EMP-1", document: str = "licence") -> int:
            params = {"document": document, "link": str(link)}
            return (await client.get(f"/api/v1/drivers/{driver}/reminder-link", params=params)).status_code

        assert await check(link) == 200
        assert await check(SignedLink.sign(key, "SUB-1", purpose, today - LASTING)) == 200
        assert await check(SignedLink.sign(key, "SUB-1", purpose, today - LASTING - timedelta(days=1))) == 410
        late = link._replace(last_day="2999-01-01")
        for forged in (late, link._replace(subscription="SUB-2"), "SUB-1", "a.b.c", f"{link}é"):
            assert await check(forged) == 404
        assert await check(link, driver="EMP-2") == await check(link, document="passport") == 404
        fleet.restrict("subscription", "SUB-1")
        assert await check(link) == 404


DAYS: Final = ("1999-12-31", "2026-11-20", "2026-11-21", "2027-01-01")
QUESTIONS: Final = [
    DueParameters(since=since, until=until, document=document, page=page, size=size)
    for since in (None, "1999-12-31", "2026-11-20", "2030-01-01")
    for until in ("2026-11-20", "2026-11-21", "2027-01-01")
    for document in (None, *DOCUMENTS)
    for page, size in ((0, 500), (0, 3), (2, 3), (2**31 - 1, 1))
]


def due_page(drivers: list[dict[str, Any]], asked: DueParameters) -> dict[str, Any]:
    """Return the expected page."""
    every = [due_date(driver, document, {}) for driver in drivers for document in asked.documents]
    found = [one for one in every if (asked.since or "") <= one["date"] <= asked.until]
    found.sort(key=lambda one: (one["date"], one["driver"], one["document"]))
    pages = -(-len(found) // asked.size)
    page = {"size": asked.size, "number": asked.page, "totalElements": len(found), "totalPages": pages}
    return {"content": found[asked.page * asked.size : (asked.page + 1) * asked.size], "page": page}


async def test_statement_agrees_with_the_model(fleet: FollowedFleet, pool: Pool) -> None:
    drivers = []
    for number, (one, other) in enumerate(product(DAYS, DAYS)):
        dates = dict(zip(DOCUMENTS.values(), (one, other), strict=True))
        entity_id = f"{'aB'[number % 2]}-{number}"
        fleet.register("driver", entity_id, **dates)
        drivers.append({**DETAILS["driver"], "id": entity_id, **dates})
    await fleet.catch_up()
    for asked in QUESTIONS:
        expected = due_page(drivers, asked)
        content = await load_due_dates(pool, asked)
        assert content.json == json_bytes(expected)
        assert content.count == len(expected["content"])


async def test_due_dates_are_found_by_an_index(fleet: FollowedFleet) -> None:
    """The index expressions depend on the order of the fields."""
    for document in DOCUMENTS:
        asked = DueParameters(since="2026-11-21", until="2026-12-21", document=document)
        statement, parameters = due_statement(asked)
        fleet.connection.execute("SET enable_seqscan = off")
        rows = fleet.connection.execute(b"EXPLAIN " + statement, parameters).fetchall()
        fleet.connection.execute("RESET enable_seqscan")
        assert f"drivers_search_{document}" in "\n".join(line for (line,) in rows)


async def test_restricted_and_removed_drivers_are_left_out(fleet: FollowedFleet, pool: Pool) -> None:
    for number in range(3):
        fleet.register("driver", f"EMP-{number}", **{**FAR, LICENCE: "2026-12-01"})
    await fleet.catch_up()
    fleet.restrict("driver", "EMP-0")
    fleet.remove("driver", "EMP-1")
    await fleet.catch_up()
    content = await load_due_dates(pool, DueParameters(until="2030-01-01"))
    assert content.count == 1
    assert b'"driver":"EMP-2"' in (content.json or b"")


async def test_encrypted_drivers_are_decrypted_unless_erased(
    encrypted_fleet: FollowedFleet, store: KeyStore, pool: Pool
) -> None:
    for entity_id in ("EMP-1", "EMP-2"):
        encrypted_fleet.register("driver", entity_id, name="Zubeida", **{**FAR, LICENCE: "2026-12-01"})
    await encrypted_fleet.catch_up()
    asked = DueParameters(until="2030-01-01")
    content = (await load_due_dates(pool, asked)).json or b""
    assert (content.count(b"Zubeida"), content.count(b"+91")) == (2, 2)
    await erase(store, encrypted_fleet, "driver:EMP-1")
    content = (await load_due_dates(pool, asked)).json or b""
    assert (content.count(b"Zubeida"), content.count(b"EMP-2")) == (1, 1)
    assert b"EMP-1" not in content


async def test_due_dates_are_unavailable_during_a_rebuild_of_the_search(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1", **{**FAR, LICENCE: "2026-12-01"})
    asked = {"until": "2026-12-01"}
    assert listed(await client.get(DUE, params=asked)) == [("EMP-1", "licence", "2026-12-01")]
    fleet.connection.execute(f"TRUNCATE read.searches, read.{DRIVERS.search.name}")  # as a crash does
    answer = await client.get(DUE, params=asked)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    async with await connect(database.projections, autocommit=True) as connection:
        await refill(connection, DRIVERS)
    assert listed(await client.get(DUE, params=asked)) == [("EMP-1", "licence", "2026-12-01")]
