"""Public events conform to CloudEvents, and the AsyncAPI document is valid, complete and matches them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.records.entities import ENTITY_TYPES
from ops.launcher.frontend.build import ensure_installed
from ops.launcher.paths import FRONTEND
from read_model.public_events.asyncapi import ATTRIBUTES, asyncapi_document
from read_model.public_events.envelope import Origin, PublicEvent
from read_model.public_events.schemas import current_schemas, released_schemas

ADDRESS = "https://fleet.example"
REMOVED = PublicEvent(42, "horse", "HRS-9", "horse.removed", datetime(2026, 11, 21, tzinfo=UTC), 2, "{}")


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
    assert len(topics) == 2 * len(ENTITY_TYPES)
    for name in current_schemas():
        entity, kind = name.split(".")[1:3]
        topic = f"fleetlog.{entity}.{'state' if kind == 'state' else 'events'}.v2"
        assert name in topics[topic]
        assert (f"{name}.structured" in document["channels"]["feed"]["messages"]) == (kind != "state")
    assert {operation["action"] for operation in document["operations"].values()} == {"receive"}
    assert len(document["operations"]) == len(topics) + 1  # the feed


def test_events_match_their_messages() -> None:
    document, origin = asyncapi_document(ADDRESS), Origin("0" * 32, ADDRESS)
    assert origin.attributes(REMOVED).keys() == ATTRIBUTES.keys()
    headers = document["components"]["messages"]["fleetlog.horse.removed.v2"]["headers"]
    binary = {
        "content-type" if name == "datacontenttype" else f"ce_{name}": value
        for name, value in origin.attributes(REMOVED).items()
    }
    jsonschema.Draft202012Validator(headers).validate(binary)
    envelope = document["components"]["schemas"]["CloudEvent"]
    jsonschema.Draft202012Validator(envelope).validate(json.loads(origin.structured(REMOVED)))


ORIGIN = Origin("0123456789abcdef0123456789abcdef", "https://fleet.example")
MOMENT = datetime(2026, 11, 21, 9, 30, 0, 123456, tzinfo=UTC)
REGISTERED = PublicEvent(
    position=42,
    entity="horse",
    entity_id="HRS-9",
    type="horse.registered",
    moment=MOMENT,
    schema_version=2,
    data='{"entity": "horse"}',
)


def test_times_are_written_in_utc() -> None:
    elsewhere = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert ORIGIN.attributes(REGISTERED._replace(moment=elsewhere)) == ORIGIN.attributes(REGISTERED)


def test_sequences_sort_as_texts_in_the_order_of_positions() -> None:
    sequences = [
        ORIGIN.attributes(REGISTERED._replace(position=position))["sequence"]
        for position in (9, 10, 2**63 - 1)
    ]
    assert sequences == sorted(sequences)
    assert [int(sequence) for sequence in sequences] == [9, 10, 2**63 - 1]


@given(
    st.builds(
        PublicEvent,
        position=st.integers(1, 2**63 - 1),
        entity=st.sampled_from(["horse", "driver"]),
        entity_id=st.text(),
        type=st.sampled_from(["horse.registered", "driver.removed"]),
        moment=st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])),
        schema_version=st.none() | st.integers(1, 99),
        data=st.just('{"entity": "horse"}'),
    )
)
def test_structured_event_has_the_same_attributes(event: PublicEvent) -> None:
    text = ORIGIN.structured(event)
    assert "\n" not in text
    assert json.loads(text) == {**ORIGIN.attributes(event), "data": {"entity": "horse"}}
