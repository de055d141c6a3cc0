"""Loading of entities with cache and snapshots, and the limit of the cache."""

import asyncio
import uuid
from datetime import timedelta
from typing import cast

import pydantic_core
import pytest
from command_api_testing.contexts import METADATA, MOMENT
from command_api_testing.log_in_memory import LogInMemory
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.commands.streams import History, Streams
from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event, EventActor
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import MAX_VERSION, EventReference, RecordedEvent, Snapshot, StreamPage
from ops.testing.json_values import json_values

HORSE = DEFINITIONS["horse"]
ANOTHER_USER = METADATA.model_copy(update={"actor": EventActor(sub="dev|bo", name="Bo")})
OTHERS = 7
"""Number of earlier events of another entity."""


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Aggregate], list[RecordedEvent]]:
    """Aggregates of an entity at all its versions, and its events."""
    definition = DEFINITIONS[draw(st.sampled_from(sorted(DEFINITIONS)))]
    details = st.dictionaries(st.sampled_from(definition.fields), json_values)
    other = Aggregate(definition, "ID-2")
    other = other.after(other.register({}, METADATA), MOMENT)
    aggregates, events = [Aggregate(definition, "ID-1")], []
    for number in range(draw(st.integers(0, 14))):
        now = aggregates[-1]
        event: Event | None
        if now.state is None:
            event = now.register(draw(details), METADATA)
        elif now.restriction is not None:
            event = draw(
                st.sampled_from(
                    (
                        now.lift(METADATA),
                        now.hold(MOMENT.date(), METADATA),
                        now.erase(MOMENT.date() + timedelta(days=1), ANOTHER_USER),
                    )
                )
            )
        elif (decision := draw(st.integers(0, 7))) == 0:
            event = now.remove(METADATA)
        elif decision == 1:
            event = now.restrict("asked", MOMENT.date(), METADATA)
        elif decision == 2:
            event = now.merge(draw(details), other, METADATA)[1]
        elif decision == 3:
            event = other.merge({}, now, METADATA)[0]
        else:
            event = now.change(draw(details), METADATA)
        if event is not None:
            moment = MOMENT + timedelta(microseconds=draw(st.integers(0, 999_999)), seconds=number)
            stored = MAPPER.to_stored_event(event)
            recorded = RecordedEvent.of(stored, OTHERS + stored.originator_version, moment)
            aggregates.append(now.after(event, moment))
            events.append(recorded)
    return aggregates, events


def shown(aggregate: Aggregate) -> str:
    """Return version, record, restriction and merges."""
    record = aggregate.state.record() if aggregate.state else None
    rest = aggregate.version, aggregate.restriction, aggregate.is_erased, aggregate.into, aggregate.sources
    return f"{pydantic_core.to_json(record).decode()} {rest}"


def flawed(snapshot: Snapshot, flaw: int) -> Snapshot:
    """Return a snapshot of another event or another shape."""
    reference = snapshot.reference
    return [
        snapshot._replace(reference=reference._replace(position=reference.position + 1)),
        snapshot._replace(reference=reference._replace(version=reference.version + 1)),
        snapshot._replace(record={"created_at": 7}),
    ][flaw]


@settings(deadline=None)
@given(histories(), st.data())
async def test_entity_is_equal_for_every_way_of_loading(
    history: tuple[list[Aggregate], list[RecordedEvent]], data: st.DataObject
) -> None:
    aggregates, events = history
    definition = aggregates[0].definition
    log = LogInMemory(page_events=3)
    log.hold(*(RecordedEvent("horse:H1", n, "horse.removed", b"", n, MOMENT) for n in range(1, OTHERS + 1)))
    streams = Streams(log)
    snapshots = log.snapshots[definition.stream("ID-1")]
    held = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("command_api.commands.streams.SNAPSHOT_BYTES", data.draw(st.integers(1, 2_000)))
        for up_to in data.draw(
            st.lists(st.just(MAX_VERSION) | st.integers(1, len(aggregates) + 1), max_size=6)
        ):
            more = data.draw(st.integers(0, len(events) - held))
            log.hold(*events[held : held + more])
            held += more
            if data.draw(st.booleans()) and snapshots:
                version = data.draw(st.sampled_from(sorted(snapshots)))
                snapshots[version] = flawed(snapshots[version], data.draw(st.integers(0, 2)))
            if data.draw(st.booleans()):
                streams.clear_cache()
            loaded = await streams.load(definition, "ID-1", up_to=up_to)
            expected = aggregates[min(up_to, held)]
            assert shown(loaded.aggregate) == shown(expected)
            assert loaded.position == (OTHERS + expected.version if expected.version else 0)


async def test_cache_is_bounded() -> None:
    class Silent:
        async def page(self, _stream: str, *, after: int) -> StreamPage:
            before = EventReference(after, 10, MOMENT, "horse.registered", 1) if after else None
            return StreamPage(before, [], is_last=True)

    streams = Streams(cast("EventLog", Silent()), cache_bytes=20_000)
    ids = [uuid.uuid4().hex for _ in range(40)]
    for entity_id in ids:
        aggregate = Aggregate(HORSE, entity_id)
        registered = aggregate.register({"description": "x" * 1_000}, METADATA)
        place = EventReference(1, 10, MOMENT, "horse.registered", 1)
        streams.cache(History(aggregate.after(registered, MOMENT), place))
    known = [(await streams.load(HORSE, entity_id)).aggregate.version for entity_id in ids]
    assert known[-10:] == [1] * 10
    assert sum(known) < 20


async def test_load_during_clear_cache_is_not_cached() -> None:
    aggregate = Aggregate(HORSE, "H1")
    place = EventReference(1, 10, MOMENT, "horse.registered", 1)
    asked, answers = asyncio.Event(), asyncio.Event()
    stretches: list[int] = []

    class Slow:
        async def page(self, _stream: str, *, after: int) -> StreamPage:
            stretches.append(after)
            asked.set()
            await answers.wait()
            return StreamPage(place if after else None, [], is_last=True)

    streams = Streams(cast("EventLog", Slow()))
    registered = aggregate.register({"description": "a name"}, METADATA)
    streams.cache(History(aggregate.after(registered, MOMENT), place))
    loading = asyncio.create_task(streams.load(HORSE, "H1"))
    await asked.wait()
    streams.clear_cache()
    answers.set()
    assert (await loading).aggregate.version == 1
    await streams.load(HORSE, "H1")
    assert stretches == [1, 0]
