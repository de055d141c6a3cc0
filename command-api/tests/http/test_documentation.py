"""Answers conform to the OpenAPI document."""

from typing import Any

import httpx
import jsonschema
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of

from command_api.domain.catalogue import DEFINITIONS


@pytest.fixture(scope="module")
async def document(client: httpx.AsyncClient) -> dict[str, Any]:
    document: dict[str, Any] = (await client.get("/openapi.json", headers={"Authorization": ""})).json()
    return document


def schema_of(document: dict[str, Any], content: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    media = content["content"]["application/json"]
    return {**media["schema"], "components": document["components"]}, media["example"]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_answers_and_examples_are_as_documented(
    client: httpx.AsyncClient, document: dict[str, Any], entity: str
) -> None:
    post = document["paths"][path_of(entity)]["post"]
    request_schema, request_example = schema_of(document, post["requestBody"])
    answer_schema, answer_example = schema_of(document, post["responses"]["201"])
    body = new_body(entity)

    answer = await client.post(path_of(entity), json=body)

    jsonschema.validate(body, request_schema)
    jsonschema.validate(request_example, request_schema)
    jsonschema.validate(answer.json(), answer_schema)
    jsonschema.validate(answer_example, answer_schema)


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_refusal_has_the_headers_that_are_documented(
    client: httpx.AsyncClient, document: dict[str, Any], entity: str
) -> None:
    documented = document["paths"][path_of(entity) + "/{entity_id}"]["put"]["responses"]["412"]["headers"]
    body = new_body(entity)
    address = (await client.post(path_of(entity), json=body)).headers["location"]

    answer = await client.put(address, json=body, headers={"If-Match": '"7"'})

    assert answer.status_code == 412
    assert set(documented) == {"ETag", "Fleetlog-Position"}
    assert all(name in answer.headers for name in documented)


ODD_TEXTS = (
    "",
    " ",
    "\x1c",
    "\u3000",
    "\ufeff",
    "\x00",
    "a\x00",
    "a\x0b",
    "a\x1f",
    "a\x7f",
    "a\x85",
    "\x85",
    "a\tb\nc\r\nd",
    "\t\n",
    "add",
    "-a",
    "a" * 65,
    "12",
    " +1.5e3 ",
    "1e10",
    "1e99",
)


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("field", ["id", "identifier", "axles", "purchase_date", "name", "created_at"])
async def test_odd_texts_are_accepted_exactly_where_the_document_allows_them(
    client: httpx.AsyncClient, document: dict[str, Any], entity: str, field: str
) -> None:
    if field not in (*DEFINITIONS[entity].example, "id", "created_at"):
        return
    schema, _ = schema_of(document, document["paths"][path_of(entity)]["post"]["requestBody"])
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    for value in (*ODD_TEXTS, None):
        body = new_body(entity, **{field: value})
        allowed = validator.is_valid(body)
        status = (await client.post(path_of(entity), json=body)).status_code
        assert status in ({201, 409} if allowed else {422}), (value, status)


def test_a_record_can_be_changed_and_removed_by_the_links_of_its_registration(
    document: dict[str, Any],
) -> None:
    operations = {
        operation["operationId"] for methods in document["paths"].values() for operation in methods.values()
    }
    for entity in ENTITIES:
        links = document["paths"][path_of(entity)]["post"]["responses"]["201"]["links"]
        assert set(links) == {f"change_{entity}", f"remove_{entity}"} <= operations
