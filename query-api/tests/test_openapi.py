"""The OpenAPI document is complete and consistent."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from ops.base.settings import ServiceSettings
from query_api.app import build_app
from read_model.tables import ENTITY_TABLES

FOR_EVERYBODY = {"list_schemas", "get_schema", "get_asyncapi"}
OF_THE_LOG = {"audit_days", "audit_trail", "access_log", "events"}
OF_ITS_OWN = {"me", "system", "system_state", "privacy_requests", "actors", "due_dates", "saved_views"}
"""Neither of a record nor of the log."""
NEEDED = {
    **dict.fromkeys(("list", "choices", "export"), "fleet:read"),
    "get": "fleet:read",
    **dict.fromkeys(("history", "diff", "blame"), "history:read"),
    "audit": "audit:read",
    **dict.fromkeys(("access", "viewers"), "access-log:read"),
    **dict.fromkeys(("privacy", "receipt"), "privacy:restrict"),
    "events": "feed:read",
}
"""Permission by the prefix of the operation id."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    settings = ServiceSettings.model_validate({"database": "", "issuer": "http://i/", "audience": "a"})
    return build_app(settings).openapi()


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def test_each_entity_has_all_routes(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    ids = {operation["operationId"] for operation in operations(document)}
    of_actors = {f"{query}_of_actor" for query in ("privacy", "receipt", "held")}
    assert ids - OF_THE_LOG - FOR_EVERYBODY - OF_ITS_OWN - of_actors == {
        kind
        for table in ENTITY_TABLES
        for kind in (
            f"list_{table.name}",
            f"choices_of_{table.name}",
            f"export_of_{table.name}",
            f"get_{table.entity.name}",
            *(
                f"{query}_of_{table.entity.name}"
                for query in ("history", "diff", "blame", "viewers", "privacy", "receipt", "held")
            ),
        )
    }


def test_every_operation_documents_responses_and_security(document: dict[str, Any]) -> None:
    for operation in operations(document):
        if operation["operationId"] in FOR_EVERYBODY | OF_ITS_OWN:
            continue
        expected = {"200", "304", "401", "403", "429", "503", "default"}
        if any(parameter["in"] == "query" for parameter in operation["parameters"]):
            expected |= {"422"}
        of_lists = operation["operationId"].startswith(("list_", "choices_", "export_"))
        if not of_lists and operation["operationId"] not in OF_THE_LOG:
            expected |= {"404"}
        if operation["operationId"] == "events":  # never cached
            expected = expected - {"304"} | {"406", "409"}
        is_file = operation["operationId"].startswith("export_")
        if is_file or "privacy" in operation["tags"]:  # not cached
            expected -= {"304"}
        assert set(operation["responses"]) == expected
        if operation["operationId"].startswith("held_"):
            assert operation["security"] == [{"accessToken": ["privacy:restrict", "personal:read"]}]
            continue
        needed = NEEDED[operation["operationId"].partition("_")[0]]
        or_else = [{"accessToken": ["privacy:erase"]}] if needed == "privacy:restrict" else []
        assert operation["security"] == [{"accessToken": [needed]}, *or_else]
        assert operation["tags"]
        assert "example" in next(iter(operation["responses"]["200"]["content"].values()))
        for status, response in operation["responses"].items():
            if status not in ("200", "304"):
                assert set(response["content"]) == {"application/problem+json"}


def test_public_operations_need_no_sign_in(document: dict[str, Any]) -> None:
    public = [operation for operation in operations(document) if not operation["security"]]
    assert {operation["operationId"] for operation in public} == FOR_EVERYBODY
    for operation in public:
        responses = operation["responses"]
        more = {"404"} if operation["operationId"] == "get_schema" else set()
        assert responses.keys() == {"200", "304", "default"} | more
        (media,) = responses["200"]["content"].values()
        assert "example" in media or media["examples"]


def test_every_reference_has_a_target(document: dict[str, Any]) -> None:
    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if "$ref" in node:
                yield node["$ref"]
            for value in node.values():
                yield from references(value)
        elif isinstance(node, list):
            for value in node:
                yield from references(value)

    found = set(references(document))
    assert found
    for reference in found:
        prefix, _, name = reference.rpartition("/")
        assert prefix == "#/components/schemas"
        assert name in document["components"]["schemas"]


def test_examples_are_complete_records(document: dict[str, Any]) -> None:
    for table in ENTITY_TABLES:
        single = document["paths"][f"{table.entity.path}/{{entity_id}}"]["get"]
        example = single["responses"]["200"]["content"]["application/json"]["example"]
        record = example[table.entity.wrapper] if table.entity.wrapper else example
        jsonschema.validate(record, table.entity.schema)
        listed = document["paths"][table.entity.path]["get"]
        example = listed["responses"]["200"]["content"]["application/json"]["example"]
        jsonschema.validate(example["content"][0], table.entity.list_schema)


def test_examples_of_list_parameters_are_valid(document: dict[str, Any]) -> None:
    for table in ENTITY_TABLES:
        listed = document["paths"][table.entity.path]["get"]
        asked = {one["name"]: one for one in listed["parameters"] if one["in"] == "query"}
        assert list(asked) == [
            "q",
            "q_in",
            "page",
            "size",
            "sort",
            "as_of",
            "whole_up_to",
            *table.entity.filtered,
        ]
        for parameter in asked.values():
            assert not parameter["required"]
            assert parameter["schema"]["examples"]
            for example in parameter["schema"]["examples"]:
                jsonschema.validate(example, parameter["schema"])
