"""What the query API refuses, and that nothing a client sends upsets it."""

import httpx
import pytest

from ops.base.records.entities import ENTITY_TYPES
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"
AUDIT = "/api/v1/audit"
ACCESSES = "/api/v1/access-log"


async def test_every_route_wants_an_access_token(shared_origin: str) -> None:
    async with httpx.AsyncClient(base_url=shared_origin, trust_env=False, timeout=60) as stranger:
        for entity in ENTITY_TYPES:
            for path in (entity.path, f"{entity.path}/ID-1", f"{entity.path}/%00"):
                for method in ("GET", "HEAD"):
                    answer = await stranger.request(method, path)
                    assert answer.status_code == 401
                    assert answer.headers["www-authenticate"].startswith("Bearer")
        assert (await stranger.get("/openapi.json")).status_code == 200


@pytest.mark.parametrize(
    "entity_id",
    [
        "EMP-2",
        "add",
        "-EMP",
        "x" * 65,
        "x" * 5000,
        "EMP 1",
        "EMP-1%0A",
        "%00",
        "%ff",
        "%F0%9F%92%A9",
        "..%2F..%2Fdrivers",
        "EMP-1/",
        "EMP-1/history",
        "'; DROP TABLE read.drivers; --",
        "%25s",
    ],
)
async def test_an_id_that_names_nothing_is_not_found(
    shared_client: httpx.AsyncClient, entity_id: str
) -> None:
    answer = await shared_client.get(f"{DRIVERS}/{entity_id}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:fleetlog:problem:not-found"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/", "/api", "/api/v1", "/api/v1/driver", "/api/v1/drivers/", "/docs"])
async def test_an_unknown_address_is_not_found(shared_client: httpx.AsyncClient, path: str) -> None:
    answer = await shared_client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_only_reading_is_known_here(shared_client: httpx.AsyncClient, method: str) -> None:
    for path in (DRIVERS, f"{DRIVERS}/EMP-1"):
        answer = await shared_client.request(method, path)
        assert answer.status_code == 405
        assert answer.json()["type"] == "urn:fleetlog:problem:method-not-allowed"
        assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": "\xff" * 100},
        {"If-None-Match": '"' * 10_000},
        {"Accept-Encoding": ";;;q=,,*;q=x" * 500},
        {"Cookie": 'fleetlog_position="\\377; =; ;;fleetlog_position'},
        {"Cookie": "fleetlog_position=" + "9" * 5000},
        {"Fleetlog-Position": "\xe9:1"},
        {"Fleetlog-Position": "0" * 32 + ":" + "9" * 18},
        {"Fleetlog-Position": "0" * 32 + ":" + "9" * 400},
        {"Fleetlog-Position": ":"},
        {"Range": "bytes=0-1"},
        {"If-Match": '"1"'},
        {"X-Request-Id": "\xff" * 300},
    ],
)
async def test_headers_of_any_kind_do_no_harm(
    shared_client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = await shared_client.get(DRIVERS + "?as=%ff&%00=;&content[]=x", headers=raw)
    assert answer.status_code == 200
    assert answer.json() == {"content": []}


async def test_a_token_for_another_api_is_refused(shared_origin: str, issuer: TokenIssuer) -> None:
    headers = {"Authorization": f"Bearer {issuer.token(aud='https://other.example')}"}
    async with httpx.AsyncClient(
        base_url=shared_origin, headers=headers, trust_env=False, timeout=60
    ) as client:
        assert (await client.get(DRIVERS)).status_code == 401


@pytest.mark.parametrize("path", [entity.path for entity in ENTITY_TYPES])
async def test_bad_parameters_are_refused_by_name_in_both_methods(
    shared_client: httpx.AsyncClient, path: str
) -> None:
    for query, names in (
        ("page=-1", ["page"]),
        ("size=1001", ["size"]),
        ("size=0&sort=metadata,asc&q=%00", ["q", "size", "sort"]),
        ("q=secret&q=secret", ["q"]),
        ("q=" + "secret" * 40, ["q"]),
        ("page=secret&sort=secret,asc", ["page", "sort"]),
    ):
        answer = await shared_client.get(f"{path}?{query}")
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert problem["type"] == "urn:fleetlog:problem:validation-failed"
        assert [(error["field"], error["pointer"]) for error in problem["validation_errors"]] == [
            (name, f"#/{name}") for name in names
        ]
        assert "secret" not in answer.text
        assert (await shared_client.head(f"{path}?{query}")).status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "as_of=",
        "as_of=yesterday",
        "as_of=2026-11-21",
        "as_of=2026-11-21T10:00:00",
        "as_of=2026-13-21T10:00:00Z",
        "as_of=2026-11-21T10:00:60Z",
        "as_of=0001-01-01T00:00:00%2B23:59",
        "as_of=2026-11-21T10:00:00.Z",
        "as_of=9999-01-01T00:00:00Z",
        "as_of=2026-11-01T10:00:00Z&as_of=2026-11-01T10:00:00Z",
    ],
)
async def test_what_is_no_past_instant_is_refused(shared_client: httpx.AsyncClient, query: str) -> None:
    for path in (DRIVERS, EMP_1, f"{EMP_1}/blame"):
        response = await shared_client.get(f"{path}?{query}")
        assert (response.status_code, response.json()["validation_errors"][0]["field"]) == (422, "as_of")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (f"{EMP_1}?version=0", "version"),
        (f"{EMP_1}?version=1&as_of=2026-11-01T10:00:00Z", "as_of"),
        (f"{DRIVERS}?as_of=2026-11-01T10:00:00Z&page=0", "page"),
        (f"{EMP_1}/history?limit=0", "limit"),
        (f"{EMP_1}/history?limit=1001", "limit"),
        (f"{EMP_1}/history?order=up", "order"),
        (f"{EMP_1}/history?cursor=x", "cursor"),
        (f"{EMP_1}/history?field=%00", "field"),
        (f"{EMP_1}/diff", "from"),
        (f"{EMP_1}/diff?from=1", "to"),
        (f"{EMP_1}/diff?from=-1&to=1", "from"),
    ],
)
async def test_what_of_the_past_cannot_be_meant_is_refused(
    shared_client: httpx.AsyncClient, path: str, field: str
) -> None:
    response = await shared_client.get(path)
    assert (response.status_code, response.json()["validation_errors"][0]["field"]) == (422, field)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("entity=drivers", "entity"),
        ("id=%00", "id"),
        ("q=%0a", "q"),
        ("q=" + "x" * 201, "q"),
        ("from=yesterday", "from"),
        ("to=2026-11-21", "to"),
        ("limit=0", "limit"),
        ("cursor=-1", "cursor"),
        ("order=up", "order"),
        ("format=xml", "format"),
        ("format=csv&limit=1", "limit"),
        ("format=csv&cursor=1", "cursor"),
        ("format=csv&reveal=yes", "reveal"),
        ("reveal=true", "reveal"),
        ("actor=a&actor=b", "actor"),
    ],
)
async def test_what_of_the_audit_trail_cannot_be_meant_is_refused(
    shared_client: httpx.AsyncClient, query: str, field: str
) -> None:
    response = await shared_client.get(f"{AUDIT}?{query}")
    assert (response.status_code, response.json()["validation_errors"][0]["field"]) == (422, field)


async def test_without_a_token_nobody_sees_the_audit_trail(shared_origin: str) -> None:
    async with httpx.AsyncClient(base_url=shared_origin, trust_env=False, timeout=60) as stranger:
        for path in (AUDIT, f"{AUDIT}?format=csv", ACCESSES):
            assert (await stranger.get(path)).status_code == 401
