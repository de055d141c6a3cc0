"""Published events and states match the released schemas, and contain no personal values."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.fleet import METADATA
from projections_testing.golden import examples, kept
from projections_testing.published import assert_event_fits, assert_state_fits, published, validator_of

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.publication import PublicationPolicy
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.testing.product.bodies import good_bodies
from ops.testing.product.fields import ENTITIES
from projections.revisions.revision import revise
from read_model.public_events.asyncapi import envelope_schema
from read_model.public_events.schemas import released_schemas

BEGIN = datetime(2026, 11, 21, 4, 10, 45, 123_456, tzinfo=UTC)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """A random history of one id, as the command API decides it."""
    entity = draw(st.sampled_from(ENTITIES))
    aggregate, events = Aggregate(DEFINITIONS[entity], "ID-1"), []
    details: dict[str, Any] | None = None
    for action in draw(st.lists(st.sampled_from(["put", "put", "remove"]), min_size=1, max_size=6)):
        event: Event | None = None
        if action == "put":
            details = draw(good_bodies(entity, details)).details
            put = aggregate.change if aggregate.state else aggregate.register
            event = put(details, METADATA)
        elif aggregate.state:
            event = aggregate.remove(METADATA)
        if event:
            events.append(event)
            aggregate = aggregate.after(event, BEGIN)
    return events


@settings(deadline=None, max_examples=150)
@given(histories(), st.booleans())
def test_every_event_and_state_matches_its_schema(events: list[Event], publish_free_text: bool) -> None:  # noqa: FBT001
    publishing, state = PublicationPolicy(publish_free_text), None
    for position, event in enumerate(events, start=1):
        moment = BEGIN + timedelta(seconds=position)
        stored = RecordedEvent.of(MAPPER.to_stored_event(event), position, moment)
        revision, state = revise(state, stored, publishing)
        assert "schema_version" in json.loads(revision.public_event)
        assert_event_fits(published(revision))
        assert (state is None) == (revision.public_state is None)
        if revision.public_state:
            assert_state_fits(event.entity, json.loads(revision.public_state))


@given(
    st.sampled_from(sorted(DEFINITIONS)),
    st.text(max_size=80),
    st.text(max_size=30) | st.sampled_from(["horse.registered", "driver.removed"]),
    st.binary(max_size=20),
)
def test_unreadable_event_matches_its_schema(entity: str, entity_id: str, topic: str, state: bytes) -> None:
    revision, _ = revise(None, RecordedEvent(f"{entity}:{entity_id}", 1, topic, state, 1, BEGIN))
    assert_event_fits(published(revision))


def test_every_schema_is_valid_closed_and_served_at_its_id() -> None:
    for name, schema in released_schemas().items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$id"] == f"/api/v1/schemas/{name}.json"
        assert schema["title"]
        assert schema["description"]
        assert_closed(schema, name)


def assert_closed(schema: Mapping[str, Any], place: str) -> None:
    """Check that all objects are closed, except those of free text."""
    if "properties" in schema:
        assert schema["additionalProperties"] is False, place
    for name, member in schema.get("properties", {}).items():
        assert "description" in member or name in ("from", "to"), f"{place}/{name} has no description"
        assert_closed(member, f"{place}/{name}")


def test_schemas_contain_public_fields_and_described_free_text_only() -> None:
    for definition in DEFINITIONS.values():
        details = released_schemas()[f"fleetlog.{definition.name}.registered.v2"]["properties"]["details"]
        state = released_schemas()[f"fleetlog.{definition.name}.state.v2"]["properties"]
        for shown in (details["properties"], state):
            times = {"id", "created_at", "updated_at"}
            assert shown.keys() - times == definition.public.keys() | definition.free_text
            for name in definition.free_text:
                assert "Free text" in shown[name]["description"]


FILES = [path for paths in kept().values() for path in paths]


def is_state(type_name: str) -> bool:
    return ".state." in type_name


def test_every_released_type_has_an_example() -> None:
    assert {type_name for type_name, _ in kept()} == released_schemas().keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_example_matches_its_schema(path: Path) -> None:
    type_name = path.parent.name
    reported = json.loads(path.read_text())
    if is_state(type_name):
        validator_of(type_name).validate(reported)
        return
    jsonschema.Draft202012Validator(envelope_schema()).validate(reported)
    assert reported["type"] == type_name
    assert reported["dataschema"] == f"https://fleet.example{released_schemas()[type_name]['$id']}"
    validator_of(type_name).validate(reported["data"])


def test_current_code_produces_the_latest_examples() -> None:
    """If not, and that is meant: `python -m projections_testing.golden` adds files; none may be changed."""
    made = examples()
    last = {key: paths[-1].read_text() for key, paths in kept().items()}
    assert made == {key: last.get(key) for key in made}


def test_discontinued_examples_have_older_versions() -> None:
    newest = {type_name.rpartition(".v")[0]: type_name for type_name, _ in examples()}
    for type_name, _ in kept().keys() - examples().keys():
        assert newest[type_name.rpartition(".v")[0]] != type_name
