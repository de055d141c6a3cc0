"""Lists and records in PostgreSQL: searching, stored JSON, outages and rebuilds."""

import json
from typing import Any

import httpx
import psycopg
from projections_testing.entity_tables import DRIVERS
from projections_testing.poison import spoil
from query_api_testing.served import FollowedFleet, client_of

from ops.testing.postgres import Database, PostgresServer
from ops.testing.token_issuer import TokenIssuer
from query_api.paging.statement import list_statement
from query_api.paging.view import ListView

LIST = "/api/v1/drivers"
TRAILERS = "/api/v1/trailers"


async def ids(client: httpx.AsyncClient, path: str, **parameters: str | int) -> list[str]:
    answer = await client.get(path, params=parameters)
    assert answer.status_code == 200
    return [item["id"] for item in answer.json()["content"]]


def test_known_view_is_not_scanned(database: Database) -> None:
    def scanned(known: list[str]) -> list[str]:
        """Return the executed scans of the table."""
        statement, parameters = list_statement(DRIVERS, ListView(sort="name", q="a"), known)
        ((plan,),) = connection.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement, parameters).fetchall()
        return [node["Node Type"] for node in nodes(plan[0]["Plan"]) if is_of_table(node)]

    def nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
        return [node, *(below for plan in node.get("Plans", []) for below in nodes(plan))]

    def is_of_table(node: dict[str, Any]) -> bool:
        return node.get("Relation Name") == "drivers" and node["Actual Loops"] > 0

    with psycopg.connect(database.query, autocommit=True) as connection:
        statement, parameters = list_statement(DRIVERS, ListView(sort="name", q="a"), [])
        ((etag, *_),) = connection.execute(statement, parameters).fetchall()
        assert scanned([])
        assert not scanned(["x", etag])


async def test_odd_stored_values_do_not_break_pages(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    """No client can send such values, but stored details are not validated again."""
    fleet.register("trailer", "T1", axles="ten", owner_name=7, data={"nul": "\x00", "currentLocation": ["x"]})
    fleet.register("trailer", "T2", axles=10**400, identifier="\x00\ufffd \\u0000")
    fleet.register("trailer", "T3", axles=3, data={"currentLocation": {"a": 1}})
    assert await ids(client, TRAILERS, sort="axles,asc") == ["T3", "T2", "T1"]
    for name in ("currentLocation", "owner_name", "identifier"):
        assert set(await ids(client, TRAILERS, sort=f"{name},desc")) == {"T1", "T2", "T3"}
    assert await ids(client, TRAILERS, q="low bed") == ["T1", "T3"]
    whole, paged = await client.get(TRAILERS), await client.get(TRAILERS, params={"page": 0})
    assert json.loads(paged.content)["content"] == json.loads(whole.content)["content"]


async def test_stored_json_is_passed_on_unchanged(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    metadata = {"z": 1.0, "a": 12345678901234567890, "ध": "\x00\u2028", "_type_": {"$ref": "__class__"}}
    fleet.register("horse", "HRS-1", metadata=metadata)
    answer = await client.get("/api/v1/horses/HRS-1")
    assert list(answer.json()["metadata"].items()) == list(metadata.items())
    assert '"z":1.0' in answer.text


async def test_database_outage_is_503_until_it_ends(
    origin: str, issuer: TokenIssuer, database: Database, postgres: PostgresServer
) -> None:
    allow = f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS'
    with psycopg.connect(postgres.dsn, autocommit=True) as admin:
        async with client_of(origin, issuer) as client:
            admin.execute(f"{allow} false")
            try:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    (database.name,),
                )
                answer = await client.get(LIST)
                assert answer.status_code == 503
                assert answer.headers["content-type"] == "application/problem+json"
                assert int(answer.headers["retry-after"]) >= 1
                assert (await client.get("/readyz")).status_code == 503
                assert (await client.get("/livez")).status_code == 200
            finally:
                admin.execute(f"{allow} true")
            assert (await client.get(LIST)).status_code == 200
            assert (await client.get("/readyz")).status_code == 200


async def test_quarantined_stream_is_stale(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    for number in (1, 2, 3):
        fleet.register("driver", f"EMP-{number}")
    fleet.register("horse", "HRS-1")
    spoil(fleet.connection, 2, "another shape")
    fleet.change("driver", "EMP-1", city="Pune")
    spoil(fleet.connection, 5, "unknown topic")
    paths = {
        LIST: (200, "stale"),
        f"{LIST}/EMP-1": (200, "stale"),
        f"{LIST}/EMP-2": (404, "stale"),
        f"{LIST}/EMP-3": (200, None),
        f"{LIST}/EMP-4": (404, None),
        "/api/v1/horses": (200, None),
        "/api/v1/horses/EMP-1": (404, None),
    }
    answers = {path: await client.get(path) for path in paths}
    assert {
        path: (answer.status_code, answer.headers.get("fleetlog-consistency"))
        for path, answer in answers.items()
    } == paths
    assert answers[f"{LIST}/EMP-1"].json()["driver_by_pk"]["city"] == "Bengaluru"
    etag = answers[LIST].headers["etag"]
    unchanged = await client.get(LIST, headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.headers["fleetlog-consistency"]) == (304, "stale")
