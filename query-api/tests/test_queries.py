"""What the query API answers."""

import gzip
from typing import Any

import httpx
import jsonschema
import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up
from projections_testing.poison import spoil

from ops.base.database import connect
from ops.base.entities import ENTITY_TYPES
from ops.testing.postgres import Database, PostgresServer
from projections.applying.retrying import retry
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuilding import rebuild
from projections.tables import ENTITY_TABLES

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"


async def project(database: Database) -> None:
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)


def log_id(fleet: Fleet) -> str:
    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    return str(row[0]) if row else ""


def record_of(fleet: Fleet, entity: str, entity_id: str) -> dict[str, Any]:
    state = fleet.aggregate(entity, entity_id).state
    assert state
    return state.record()


async def test_a_single_record_comes_under_the_specification_s_name(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    for entity in ENTITY_TYPES:
        fleet.register(entity.name, "ID-1")
    await project(database)
    answers = {entity.name: (await client.get(f"{entity.path}/ID-1")).json() for entity in ENTITY_TYPES}
    assert answers == {
        "driver": {"driver_by_pk": record_of(fleet, "driver", "ID-1")},
        "trailer": {"trailer_by_pk": record_of(fleet, "trailer", "ID-1")},
        "horse": record_of(fleet, "horse", "ID-1"),
        "location": {"location_by_pk": record_of(fleet, "location", "ID-1")},
    }


async def test_answers_are_as_the_openapi_document_says(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    document = (await client.get("/openapi.json")).json()
    for entity in ENTITY_TYPES:
        fleet.register(entity.name, "ID-1")
    await project(database)
    for table in ENTITY_TABLES:
        for path, query in (
            (table.entity.path, ""),
            (table.entity.path, "?page=0"),
            (table.entity.path, "?page=3&size=7&sort=id,desc&q=x"),
            (table.entity.path, "?size=0"),
            (table.entity.path + "/{entity_id}", ""),
        ):
            answer = await client.get(path.format(entity_id="ID-1") + query)
            described = document["paths"][path]["get"]["responses"][str(answer.status_code)]
            (media,) = described["content"].items()
            assert answer.headers["content-type"] == media[0]
            schema = {**media[1]["schema"], "components": document["components"]}
            jsonschema.validate(answer.json(), schema)
            assert ("page" in answer.json()) == bool(query and answer.status_code == 200)


async def test_every_answer_is_of_the_documented_shape(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    for entity in ENTITY_TYPES:
        fleet.register(entity.name, "ID-1")
    await project(database)
    for table in ENTITY_TABLES:
        (item,) = (await client.get(table.entity.path)).json()["content"]
        jsonschema.validate(item, table.entity.list_schema)
        single = (await client.get(f"{table.entity.path}/ID-1")).json()
        jsonschema.validate(
            single[table.entity.wrapper] if table.entity.wrapper else single, table.entity.schema
        )


async def test_a_list_has_every_record_ordered_by_id(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    for entity_id in ("b", "A-10", "a", "A-9", "B"):
        fleet.register("driver", entity_id)
    fleet.remove("driver", "B")
    await project(database)
    answer = await client.get(DRIVERS)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "content": [record_of(fleet, "driver", entity_id) for entity_id in ("A-10", "A-9", "a", "b")]
    }


async def test_a_trailer_in_a_list_has_the_names_that_the_list_reads(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("trailer", "TRL-1")
    await project(database)
    (item,) = (await client.get("/api/v1/trailers")).json()["content"]
    assert item["registrationNumber"] == "KA01AB1234"
    assert item["currentLocation"] == "Hosur"


async def test_before_any_projection_has_run_lists_are_empty_and_have_an_etag(
    client: httpx.AsyncClient, fleet: Fleet
) -> None:
    for table in ENTITY_TABLES:
        answer = await client.get(table.entity.path)
        assert (answer.status_code, answer.json()) == (200, {"content": []})
        assert answer.headers["etag"] == f'"{log_id(fleet)}-{table.version}-0-0"'


async def test_stored_json_is_passed_on_as_it_is(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    metadata = {"z": 1.0, "a": 12345678901234567890, "ध": "\x00\u2028", "_type_": {"$ref": "__class__"}}
    fleet.register("horse", "HRS-1", metadata=metadata)
    await project(database)
    answer = await client.get("/api/v1/horses/HRS-1")
    assert list(answer.json()["metadata"].items()) == list(metadata.items())
    assert '"z":1.0' in answer.text


async def test_a_list_s_etag_moves_with_the_table_and_only_with_it(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await project(database)
    first = (await client.get(DRIVERS)).headers["etag"]
    fleet.register("horse", "HRS-1")
    await project(database)
    assert (await client.get(DRIVERS)).headers["etag"] == first
    assert first == f'"{log_id(fleet)}-{ENTITY_TABLES[0].version}-0-1"'
    fleet.remove("driver", "EMP-1")
    await project(database)
    assert (await client.get(DRIVERS)).headers["etag"] == first.replace('-1"', '-3"')


@pytest.mark.parametrize("path", [DRIVERS, f"{DRIVERS}/EMP-1"])
async def test_what_the_client_has_is_not_sent_again(
    client: httpx.AsyncClient, fleet: Fleet, database: Database, path: str
) -> None:
    fleet.register("driver", "EMP-1")
    await project(database)
    etag = (await client.get(path)).headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = await client.get(path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
        assert answer.headers["cache-control"] == "private, no-cache"
    assert (await client.get(path, headers={"If-None-Match": '"other"'})).status_code == 200
    fleet.change("driver", "EMP-1", city="Pune")
    await project(database)
    changed = await client.get(path, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert "Pune" in changed.text


async def test_answers_are_kept_by_the_client_alone_and_asked_for_again(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await project(database)
    for path in (DRIVERS, f"{DRIVERS}/EMP-1", f"{DRIVERS}/EMP-2"):
        headers = (await client.get(path)).headers
        assert headers["cache-control"] == "private, no-cache"
        assert headers["vary"] == "Authorization, Accept-Encoding"
        assert "fleetlog-consistency" not in headers


@pytest.mark.parametrize("path", [DRIVERS, f"{DRIVERS}/EMP-1", f"{DRIVERS}/EMP-2", "/api/v1/none"])
async def test_head_is_get_without_a_body(
    client: httpx.AsyncClient, fleet: Fleet, database: Database, path: str
) -> None:
    fleet.register("driver", "EMP-1")
    await project(database)
    get, head = await client.get(path), await client.head(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    for name in ("etag", "content-type", "content-length", "cache-control", "vary"):
        assert head.headers.get(name) == get.headers.get(name)


async def test_a_long_answer_is_compressed_and_keeps_its_strong_etag(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    for number in range(80):  # more than is compressed within the event loop
        fleet.register("driver", f"EMP-{number}")
    await project(database)
    for path in (DRIVERS, "/api/v1/drivers/EMP-1"):
        plain = await client.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        async with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as packed:
            raw = b"".join([chunk async for chunk in packed.aiter_raw()])
        if len(plain.content) < 1024:
            assert raw == plain.content
            continue
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["etag"] == plain.headers["etag"]
        assert gzip.decompress(raw) == plain.content
        assert len(raw) < len(plain.content) / 4


async def test_connections_that_the_server_ended_are_replaced_unnoticed(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await project(database)
    assert (await client.get(DRIVERS)).status_code == 200
    fleet.connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE %s", ("%query",)
    )
    for _ in range(20):
        assert (await client.get(DRIVERS)).status_code == 200


async def test_while_the_database_is_away_clients_are_told_to_try_again_and_it_recovers_by_itself(
    client: httpx.AsyncClient, fleet: Fleet, database: Database, postgres: PostgresServer
) -> None:
    with psycopg.connect(postgres.dsn, autocommit=True) as admin:
        admin.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS false')
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database.name,)
        )
        answer = await client.get(DRIVERS, timeout=60)
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) >= 1
        assert (await client.get("/readyz", timeout=60)).status_code == 503
        assert (await client.get("/livez")).status_code == 200
        admin.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS true')
    assert (await client.get(DRIVERS, timeout=60)).status_code == 200
    assert (await client.get("/readyz", timeout=60)).status_code == 200


async def test_what_waits_for_a_poisoned_event_says_that_it_is_stale(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    for number in (1, 2, 3):
        fleet.register("driver", f"EMP-{number}")
    fleet.register("horse", "HRS-1")
    spoil(fleet.connection, 2, "another shape")
    fleet.change("driver", "EMP-1", city="Pune")
    spoil(fleet.connection, 5, "unknown topic")
    await project(database)
    paths = {
        DRIVERS: (200, "stale"),
        f"{DRIVERS}/EMP-1": (200, "stale"),
        f"{DRIVERS}/EMP-2": (404, "stale"),
        f"{DRIVERS}/EMP-3": (200, None),
        f"{DRIVERS}/EMP-4": (404, None),
        "/api/v1/horses": (200, None),
        "/api/v1/horses/EMP-1": (404, None),
    }
    answers = {path: await client.get(path) for path in paths}
    assert {
        path: (answer.status_code, answer.headers.get("fleetlog-consistency"))
        for path, answer in answers.items()
    } == paths
    assert answers[f"{DRIVERS}/EMP-1"].json()["driver_by_pk"]["city"] == "Bengaluru"
    etag = answers[DRIVERS].headers["etag"]
    unchanged = await client.get(DRIVERS, headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.headers["fleetlog-consistency"]) == (304, "stale")


async def test_a_list_s_etag_moves_when_a_stream_is_healed_and_when_the_table_is_rebuilt(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    mend = spoil(fleet.connection, 1, "another shape")
    await project(database)
    etags = [(await client.get(DRIVERS)).headers["etag"]]
    mend()
    async with await connect(database.projections, autocommit=True) as connection:
        await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
    healed = await client.get(DRIVERS)
    assert "fleetlog-consistency" not in healed.headers
    assert [record["id"] for record in healed.json()["content"]] == ["EMP-1"]
    etags.append(healed.headers["etag"])
    await rebuild(database.projections, PROJECTIONS["drivers"])
    etags.append((await client.get(DRIVERS)).headers["etag"])
    assert len(set(etags)) == 3
