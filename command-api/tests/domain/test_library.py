"""Use of the `eventsourcing` library, and the reasons against some of its parts; see the README."""

import subprocess
import sys
from typing import Final
from uuid import uuid4

import pytest
from command_api_testing.contexts import METADATA, MOMENT
from eventsourcing.application import ProjectorFunction
from eventsourcing.domain import Aggregate as LibraryAggregate
from eventsourcing.domain import DomainEventProtocol, ImmutableAggregateProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper

from command_api.domain.aggregate import Aggregate, project
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.state import InapplicableEvent
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent

# The type checker verifies these.
DRIVER: Final[ImmutableAggregateProtocol[str]] = DEFINITIONS["driver"].unused("EMP-1")
REGISTERED: Final[DomainEventProtocol[str]] = DEFINITIONS["driver"].unused("EMP-1").register({}, METADATA)
PROJECTOR: Final[ProjectorFunction[Aggregate, Event]] = project
THE_MAPPER: Final[Mapper[str]] = MAPPER


def test_an_aggregate_is_immutable_and_its_events_are_domain_events() -> None:
    assert isinstance(REGISTERED, DomainEventProtocol)
    with pytest.raises(AttributeError):
        DRIVER.version = 1  # type: ignore[misc]


def test_projector_returns_the_aggregate_after_the_events() -> None:
    recorded = RecordedEvent.of(MAPPER.to_stored_event(REGISTERED), 1, MOMENT)
    driver = PROJECTOR(None, [MAPPER.to_domain_event(recorded)])
    assert driver is not None
    assert driver.state is not None
    assert driver.state.created_at == MOMENT
    assert PROJECTOR(driver, []) is driver
    assert PROJECTOR(None, []) is None


def test_event_without_moment_cannot_be_projected() -> None:
    with pytest.raises(InapplicableEvent):
        PROJECTOR(None, [MAPPER.to_domain_event(MAPPER.to_stored_event(REGISTERED))])


class Lorry(LibraryAggregate):
    """An aggregate of the library."""


def test_library_aggregate_starts_at_its_first_version_with_its_own_time() -> None:
    """Ours need a second registration in the same stream, with a time that the log assigns."""
    again = Lorry._create(Lorry.Created, id=uuid4(), originator_version=4)
    (created,) = again.collect_events()
    assert created.originator_version == 1
    assert getattr(created, "timestamp", None) is not None


def test_the_librarys_records_alone_patch_dataclasses() -> None:
    """So the patch is no reason against its aggregates."""
    program = "import dataclasses as d; was = d._process_class; import {}; print(was is d._process_class)"
    for module, untouched in (("eventsourcing.utils", "True"), ("eventsourcing.persistence", "False")):
        command = [sys.executable, "-c", program.format(module)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == untouched


def test_the_librarys_transcoder_cannot_read_every_json_object() -> None:
    transcoder = JSONTranscoder()
    stored = transcoder.encode({"metadata": {"_type_": "x", "_data_": 1}})
    with pytest.raises(TypeError):
        transcoder.decode(stored)
