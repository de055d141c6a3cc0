"""Records and lists over HTTP."""

import gzip
from typing import Any

import httpx
import pytest
from projections_testing.fleet import Fleet
from query_api_testing.served import FollowedFleet

from ops.base.records.entities import ENTITY_TYPES
from read_model.tables import ENTITY_TABLES

DRIVERS = "/api/v1/drivers"


def record_of(fleet: Fleet, entity: str, entity_id: str) -> dict[str, Any]:
    state = fleet.aggregate(entity, entity_id).state
    assert state
    return state.record()


async def test_single_record_has_the_specified_wrapper(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for entity in ENTITY_TYPES:
        fleet.register(entity.name, "ID-1")
    answers = {entity.name: (await client.get(f"{entity.path}/ID-1")).json() for entity in ENTITY_TYPES}
    assert answers == {
        "driver": {"driver_by_pk": record_of(fleet, "driver", "ID-1")},
        "trailer": {"trailer_by_pk": record_of(fleet, "trailer", "ID-1")},
        "horse": record_of(fleet, "horse", "ID-1"),
        "location": {"location_by_pk": record_of(fleet, "location", "ID-1")},
        "subscription": record_of(fleet, "subscription", "ID-1"),
        "assignment": record_of(fleet, "assignment", "ID-1"),
    }


async def test_list_has_all_records_ordered_by_id(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    for entity_id in ("b", "A-10", "a", "A-9", "B"):
        fleet.register("driver", entity_id)
    fleet.remove("driver", "B")
    answer = await client.get(DRIVERS)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "content": [record_of(fleet, "driver", entity_id) for entity_id in ("A-10", "A-9", "a", "b")]
    }


async def test_lists_are_empty_before_any_projection_has_run(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for table in ENTITY_TABLES:
        answer = await client.get(table.entity.path)
        assert (answer.status_code, answer.json()) == (200, {"content": []})
        assert answer.headers["etag"] == f'"{fleet.log_id}-{table.version}-0-0"'


@pytest.mark.parametrize("path", [DRIVERS, f"{DRIVERS}/EMP-1", f"{DRIVERS}/EMP-2", "/api/v1/none"])
async def test_head_is_get_without_a_body(client: httpx.AsyncClient, fleet: FollowedFleet, path: str) -> None:
    fleet.register("driver", "EMP-1")
    get, head = await client.get(path), await client.head(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    for name in ("etag", "content-type", "cache-control", "vary"):
        assert head.headers.get(name) == get.headers.get(name)
    # Lengths of personal data are shown only where it is recorded, to GET.
    assert head.headers.get("content-length") == (None if get.is_success else get.headers["content-length"])


async def test_long_answer_is_compressed_with_a_strong_etag(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in range(80):  # long enough to be compressed in a thread
        fleet.register("driver", f"EMP-{number}")
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
