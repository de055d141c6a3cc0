"""The AsyncAPI document is valid, complete and matches the events."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from ops.launcher.frontend.build import ensure_installed
from ops.launcher.paths import FRONTEND
from read_model.public_events.asyncapi import ATTRIBUTES, asyncapi_document
from read_model.public_events.envelope import Origin, PublicEvent
from read_model.public_events.schemas import current_schemas, released_schemas

ADDRESS = "https://fleet.example"
EVENT = PublicEvent(42, "horse", "HRS-9", "horse.removed", datetime(2026, 11, 21, tzinfo=UTC), 2, "{}")


@pytest.fixture(scope="module")
def official() -> jsonschema.Draft7Validator:
    """What checks a document against the official JSON Schema of AsyncAPI 3.0, from npm's package of it."""
    ensure_installed()
    schema = FRONTEND / "node_modules" / "@asyncapi" / "specs" / "schemas" / "3.0.0.json"
    return jsonschema.Draft7Validator(json.loads(schema.read_text()))


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


@pytest.mark.parametrize("address", [ADDRESS, "http://localhost:8080", ""])
def test_document_is_valid_asyncapi(official: jsonschema.Draft7Validator, address: str) -> None:
    official.validate(asyncapi_document(address))


def test_every_reference_resolves() -> None:
    document = asyncapi_document(ADDRESS)
    served = {schema["$id"] for schema in released_schemas().values()}
    for reference in references(document):
        if reference.startswith("#/"):
            found: Any = document
            for name in reference[2:].split("/"):
                found = found[name]
        else:
            assert reference in served


def test_every_type_has_a_topic_and_every_event_is_in_the_feed() -> None:
    document = asyncapi_document(ADDRESS)
    topics = {
        channel["address"]: set(channel["messages"])
        for name, channel in document["channels"].items()
        if name != "feed"
    }
    assert len(topics) == 8
    for name in current_schemas():
        entity, kind = name.split(".")[1:3]
        topic = f"fleetlog.{entity}.{'state' if kind == 'state' else 'events'}.v2"
        assert name in topics[topic]
        assert (f"{name}.structured" in document["channels"]["feed"]["messages"]) == (kind != "state")
    assert {operation["action"] for operation in document["operations"].values()} == {"receive"}
    assert len(document["operations"]) == 9


def test_events_match_their_messages() -> None:
    document, origin = asyncapi_document(ADDRESS), Origin("0" * 32, ADDRESS)
    assert origin.attributes(EVENT).keys() == ATTRIBUTES.keys()
    headers = document["components"]["messages"]["fleetlog.horse.removed.v2"]["headers"]
    binary = {
        "content-type" if name == "datacontenttype" else f"ce_{name}": value
        for name, value in origin.attributes(EVENT).items()
    }
    jsonschema.Draft202012Validator(headers).validate(binary)
    envelope = document["components"]["schemas"]["CloudEvent"]
    jsonschema.Draft202012Validator(envelope).validate(json.loads(origin.structured(EVENT)))
