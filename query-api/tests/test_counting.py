"""Answers that reveal the number of rows with some personal value are recorded, even if they show no row."""

from typing import Any, Final

import httpx
import psycopg
import pytest
from query_api_testing.served import FollowedFleet, recorded_views

from ops.base.records.masks import is_personal
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from query_api.paging.filters import EXAMPLES
from query_api.paging.routes import LISTS_PATH
from read_model.tables import ENTITY_TABLES, EntityTable

EMPTY_PAGE: Final = {"page": 99, "size": 1}
Question = tuple[str, dict[str, Any]]


@pytest.fixture
async def fleet_with_one_of_each(fleet: FollowedFleet) -> None:
    for table in ENTITY_TABLES:
        fleet.register(table.entity.name, "ID-1")


def filters(table: EntityTable) -> list[tuple[dict[str, Any], bool]]:
    """Return each filter that an entity type declares, and whether it is on a personal field."""
    entity = table.entity
    values = {name: EXAMPLES.get(kind, entity.example[name]) for name, kind in entity.filtered.items()}
    declared = [({name: value}, is_personal(entity, name)) for name, value in values.items()]
    days = [name for name, kind in entity.filtered.items() if kind == "days"]
    return [
        *declared,
        *(({name: "!2020-01-01.."}, is_personal(entity, name)) for name in days),
        ({"q": "a"}, any(is_personal(entity, name) for name in entity.searched)),
        ({}, False),
    ]


def questions() -> list[tuple[Question, bool]]:
    """Return queries whose answers contain no personal value, or list the values of one field."""
    asked: list[tuple[Question, bool]] = []
    for table in ENTITY_TABLES:
        entity, lists = table.entity, f"{LISTS_PATH}/{table.name}"
        choices = [name for name, kind in entity.filtered.items() if kind == "value"]
        harmless = [name for name in choices if not is_personal(entity, name)]
        asked += [((f"{lists}/choices", {"field": name}), is_personal(entity, name)) for name in choices]
        for wanted, is_personal_filter in filters(table):
            asked.append(((entity.path, {**wanted, **EMPTY_PAGE}), is_personal_filter))
            asked.append(((f"{lists}/export", {"columns": "id", **wanted}), is_personal_filter))
            asked += [
                ((f"{lists}/choices", {"field": name, **wanted}), is_personal_filter)
                for name in harmless
                if name not in wanted
            ]
        asked += [
            ((f"{lists}/export", {"columns": "id", "sort": f"{name},asc"}), is_personal(entity, name))
            for name in ("id", *entity.filtered)
        ]
        asked.append(((entity.path, {"whole_up_to": 0}), False))
    for query in ({}, {"document": "passport"}, {"from": "2020-01-01"}):
        asked.append((("/api/v1/due-dates", {"until": "2090-01-01", "page": 99999, **query}), True))
    for form in ({}, {"format": "csv"}, {"format": "ndjson"}):
        asked.append((("/api/v1/audit", {"q": "Unknown", **form}), True))
    asked += [
        (("/api/v1/audit", {"format": "csv", "field": "city", "entity": "driver"}), True),
        (("/api/v1/audit", {"format": "csv", "type": "removed"}), False),
        (("/api/v1/audit/days", {"q": "Unknown"}), True),
        (("/api/v1/audit/days", {"field": "city", "entity": "driver"}), True),
        (("/api/v1/audit/days", {"type": "removed"}), False),
    ]
    return asked


def says_no_length(head: httpx.Response) -> bool:
    """Return whether the headers are the same whatever the body is; a download's always say 0."""
    return head.headers.get("content-length", "0") == "0" and "content-encoding" not in head.headers


async def recorded(client: httpx.AsyncClient, database: Database) -> dict[str, dict[str, Any]]:
    """Return the recorded view of each request, by request id."""
    last = (await client.get("/api/v1/drivers/ID-1")).headers["x-request-id"]

    def found() -> dict[str, dict[str, Any]]:
        with psycopg.connect(database.owner) as owner:
            return {view["request_id"]: view for view in recorded_views(owner)}

    await wait_until(lambda: last in found())  # views are recorded in order
    return found()


@pytest.mark.usefixtures("fleet_with_one_of_each")
async def test_only_answers_that_count_by_personal_values_are_recorded(
    client: httpx.AsyncClient, database: Database
) -> None:
    asked: dict[str, tuple[Question, bool]] = {}
    for (path, parameters), is_probe in questions():
        answer = await client.get(path, params=parameters)
        assert answer.status_code == 200, (path, parameters, answer.text)
        asked[answer.headers["x-request-id"]] = (path, parameters), is_probe
    views = await recorded(client, database)
    assert [
        question for request, (question, is_probe) in asked.items() if is_probe != (request in views)
    ] == []
    assert all(views[request]["fields"] for request, (_, is_probe) in asked.items() if is_probe)
    assert sum(is_probe for _, is_probe in asked.values()) > len(ENTITY_TABLES)


@pytest.mark.usefixtures("fleet_with_one_of_each")
async def test_head_has_no_length_for_personal_data(
    client: httpx.AsyncClient,
) -> None:
    for (path, parameters), is_probe in questions():
        if not is_probe:
            continue
        answer = await client.head(path, params=parameters, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        assert says_no_length(answer), (path, parameters, answer.headers)
    for path in ("ID-1", "ID-1/history", "ID-1/privacy/held", "ID-1/blame", "ID-1/diff?from=0&to=1"):
        head = await client.head(f"/api/v1/drivers/{path}", headers={"Accept-Encoding": "gzip"})
        assert head.status_code == 200, path
        assert says_no_length(head), (path, head.headers)
    counted = await client.head("/api/v1/drivers", params=EMPTY_PAGE)
    assert "content-length" in counted.headers  # the number of all rows is no personal data


@pytest.mark.usefixtures("fleet_with_one_of_each")
async def test_recorded_search_names_the_searched_fields(
    client: httpx.AsyncClient, database: Database
) -> None:
    requests = [
        (await client.get(f"{LISTS_PATH}/{path}")).headers["x-request-id"]
        for path in (
            "horses/choices?field=hired&owner=Sagar",
            "horses/choices?field=hired&q=Sagar",
            "drivers/export?columns=id&driving_license_expiry=..2030-01-01&sort=city,asc",
        )
    ]
    views = await recorded(client, database)
    assert [views[request]["fields"] for request in requests] == [
        ["owner"],
        ["owner"],
        ["city", "driving_license_expiry"],
    ]
