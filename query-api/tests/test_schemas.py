"""Public schemas of the event stream."""

from collections.abc import AsyncIterator

import httpx
import jsonschema
import pytest

from read_model.public_events.asyncapi import asyncapi_document
from read_model.public_events.schemas import released_files, released_schemas

SCHEMAS = "/api/v1/schemas"
ASYNCAPI = "/api/v1/asyncapi.json"
REGISTERED = "fleetlog.driver.registered.v2"
ADDRESSES = [SCHEMAS, f"{SCHEMAS}/{REGISTERED}.json", ASYNCAPI]


@pytest.fixture
async def stranger(shared_origin: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client that has not signed in."""
    headers = {"Accept-Encoding": "identity"}
    async with httpx.AsyncClient(
        base_url=shared_origin, headers=headers, trust_env=False, timeout=60
    ) as client:
        yield client


async def test_every_schema_is_served_at_its_id(stranger: httpx.AsyncClient) -> None:
    for name, text in released_files().items():
        answer = await stranger.get(released_schemas()[name]["$id"])
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/schema+json"
        assert answer.content == text
        jsonschema.Draft202012Validator.check_schema(answer.json())


async def test_list_refers_to_every_schema(
    stranger: httpx.AsyncClient,
) -> None:
    listed = (await stranger.get(SCHEMAS)).json()["content"]
    assert [one["type"] for one in listed] == list(released_files())
    for one in listed:
        assert one["dataschema"] == f"https://fleet.example{SCHEMAS}/{one['type']}.json"
        assert one["title"]


async def test_asyncapi_document_has_the_public_address(stranger: httpx.AsyncClient) -> None:
    answer = await stranger.get(ASYNCAPI)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == asyncapi_document("https://fleet.example")
    assert answer.json()["servers"]["http"]["host"] == "fleet.example"


@pytest.mark.parametrize("address", ADDRESSES)
async def test_known_document_is_answered_with_304(stranger: httpx.AsyncClient, address: str) -> None:
    first = await stranger.get(address)
    assert first.headers["cache-control"] == "public, max-age=300"
    again = await stranger.get(address, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert (await stranger.get(address, headers={"If-None-Match": '"other"'})).content == first.content


async def test_document_is_compressed_if_accepted(stranger: httpx.AsyncClient) -> None:
    plain = await stranger.get(ASYNCAPI)
    packed = await stranger.get(ASYNCAPI, headers={"Accept-Encoding": "gzip"})
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert packed.content == plain.content


@pytest.mark.parametrize("address", ADDRESSES)
async def test_head_is_get_without_a_body(stranger: httpx.AsyncClient, address: str) -> None:
    reported, headers = await stranger.get(address), (await stranger.head(address)).headers
    for name in ("etag", "content-type", "content-length", "cache-control"):
        assert headers[name] == reported.headers[name]


@pytest.mark.parametrize(
    "name",
    [
        "fleetlog.driver.registered.v3.json",
        "fleetlog.driver.registered.v2",
        "fleetlog.driver.registered.v2.yaml",
        ".json",
        "..%2F..%2Fenvelope.json",
        "..%2F__init__.py",
        "%00.json",
        "x" * 5000 + ".json",
    ],
)
async def test_unknown_schema_is_not_found(stranger: httpx.AsyncClient, name: str) -> None:
    answer = await stranger.get(f"{SCHEMAS}/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:fleetlog:problem:not-found"
