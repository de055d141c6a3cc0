"""What the query API refuses, and that nothing a client sends upsets it."""

import httpx
import pytest

from ops.base.entities import ENTITY_TYPES
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"


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
