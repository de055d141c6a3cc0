"""Planted personal values are in nothing that is published."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import pytest
from projections_testing.fleet import DETAILS
from projections_testing.planted import PLANTED
from projections_testing.published import published
from prometheus_client import generate_latest

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event, EventActor, EventMetadata
from command_api.domain.publication import PublicationPolicy
from command_api.domain.state import State
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from projections.revisions.revision import revise
from read_model.public_events.asyncapi import asyncapi_document
from read_model.public_events.envelope import Origin
from read_model.public_events.schemas import released_files

BEGIN: Final = datetime(2026, 11, 21, 4, 10, 45, tzinfo=UTC)
ORIGIN: Final = Origin("0" * 32, "https://fleet.example")

ACTOR_NAME: Final = "Cornelius Vandersloot"
REASON: Final = "Philomena rang about it"
FREE_TEXT: Final = ("Wilhelmina", "Bartholomew", "Leocadia", "Anselm Yoder", "39393")
IDENTIFYING: Final = (
    *PLANTED["driver"].values(),
    *("Peregrine Oyelaran", "Xanthe Papadimitriou", ACTOR_NAME, REASON),
)


def events_of(entity: str) -> Iterator[Event]:
    """Yield events in which each value is once the old and once the new one."""
    metadata = EventMetadata(
        actor=EventActor(sub="dev|77", name=ACTOR_NAME), request_id="r1", reason=REASON, fingerprint="f"
    )
    aggregate = Aggregate(DEFINITIONS[entity], "ID-1")
    for details in (DETAILS[entity] | PLANTED[entity], DETAILS[entity], DETAILS[entity] | PLANTED[entity]):
        event = (
            aggregate.change(details, metadata) if aggregate.state else aggregate.register(details, metadata)
        )
        if event:
            yield event
            aggregate = aggregate.after(event, BEGIN)
    removed = aggregate.remove(metadata)
    assert removed
    yield removed


def stored_events() -> list[RecordedEvent]:
    """Return all events as stored, each followed by an unreadable copy."""
    found: list[RecordedEvent] = []
    for entity in DEFINITIONS:
        for event in events_of(entity):
            stored = MAPPER.to_stored_event(event)
            for state in (stored.state, stored.state[:-1]):
                position = len(found) + 1
                moment = BEGIN + timedelta(seconds=position)
                version = event.originator_version
                found.append(RecordedEvent(event.originator_id, version, event.type, state, position, moment))
    return found


@cache
def everything_published(*, publish_free_text: bool) -> list[tuple[str, str]]:
    """Return all published texts with descriptions."""
    return list(_publish(publish_free_text=publish_free_text))


def _publish(*, publish_free_text: bool) -> Iterator[tuple[str, str]]:
    before: State | None = None
    for stored in stored_events():
        revision, after = revise(before, stored, PublicationPolicy(publish_free_text))
        yield f"{stored.topic} at {stored.position}", ORIGIN.structured(published(revision))
        if revision.public_state:
            yield f"state of {stored.entity}", revision.public_state
        if not _is_cut(stored):
            before = after
    for name, text in released_files().items():
        yield name, text.decode()
    yield "AsyncAPI", json.dumps(asyncapi_document("https://fleet.example"), ensure_ascii=False)
    yield "metrics", generate_latest().decode()


def _is_cut(stored: RecordedEvent) -> bool:
    return stored.state.count(b"{") != stored.state.count(b"}")


def test_log_contains_all_planted_values() -> None:
    """Otherwise the tests below would prove nothing."""
    assert len(IDENTIFYING) + len(FREE_TEXT) >= 20
    log = b"\n".join(stored.state for stored in stored_events()).decode()
    for value in (*IDENTIFYING, *FREE_TEXT):
        assert value in log


@pytest.mark.parametrize("value", [*IDENTIFYING, *FREE_TEXT])
def test_planted_value_is_not_published(value: str) -> None:
    for what, text in everything_published(publish_free_text=False):
        assert value not in text, what


@pytest.mark.parametrize("value", IDENTIFYING)
def test_publishing_free_text_publishes_no_other_personal_value(value: str) -> None:
    for what, text in everything_published(publish_free_text=True):
        assert value not in text, what


@pytest.mark.parametrize("value", FREE_TEXT)
def test_free_text_is_published_if_configured(value: str) -> None:
    whole = "\n".join(text for _, text in everything_published(publish_free_text=True))
    assert value in whole
