"""That the past, however it is asked for, is nothing but a fold of the log up to there."""

import json
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.fleet import BEGIN
from query_api_testing.fleet_in_memory import FleetInMemory
from query_api_testing.past_in_memory import PastInMemory

from command_api.domain.folding import State, apply
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.records.entities import ENTITY_TYPES, EntityType
from query_api.history.comparing import UNCOMPARED, blame, differences
from query_api.history.parameters import HistoryParameters
from query_api.history.past_states import PastState
from query_api.history.points import Point

ENTITIES = {entity.name: entity for entity in ENTITY_TYPES}
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
objects = st.dictionaries(texts, st.integers() | st.booleans())
values: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "driver": st.fixed_dictionaries(
        {}, optional={"name": texts, "city": texts, "swift_code": st.none() | texts}
    ),
    "trailer": st.fixed_dictionaries(
        {}, optional={"capacity_tons": st.none() | st.floats(0, 99), "data": objects}
    ),
    "horse": st.fixed_dictionaries({}, optional={"owner": st.none() | texts, "metadata": objects}),
    "location": st.fixed_dictionaries({}, optional={"lat": st.floats(-90, 90), "name": texts}),
}


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, str, str, dict[str, Any]]:
    entity = draw(st.sampled_from(sorted(values)))
    action = draw(st.sampled_from(["register", "change", "change", "remove"]))
    return action, entity, draw(st.sampled_from(["A", "B"])), draw(values[entity])


class Log:
    """Every state that there ever was, folded from the log alone."""

    def __init__(self, events: list[RecordedEvent]) -> None:
        self.states: dict[tuple[str, str], list[State | None]] = {}
        self.moments: list[Any] = []
        self.at: list[dict[tuple[str, str], State]] = [{}]
        for recorded in events:
            event = MAPPER.to_domain_event(recorded)
            key = (event.entity, event.entity_id)
            history = self.states.setdefault(key, [None])
            history.append(apply(history[-1], event, moment=recorded.moment))
            self.moments.append(recorded.moment)
            now = {**self.at[-1], key: history[-1]}
            self.at.append({name: state for name, state in now.items() if state})


def as_json(record: dict[str, Any] | None) -> dict[str, Any] | None:
    """What comes back after a way through JSON."""
    return None if record is None else dict(json.loads(json.dumps(record)))


def played(history: list[tuple[str, str, str, dict[str, Any]]], at_once: set[int]) -> FleetInMemory:
    """Several commands that were committed together have the same moment; the order of moments stays."""
    decided = FleetInMemory()
    for step in history:
        decided.play(*step)
    fleet = FleetInMemory()
    for event in decided.log:
        fleet.hold(replace_moment(event) if event.position in at_once else event)
    return fleet


def replace_moment(event: RecordedEvent) -> RecordedEvent:
    return RecordedEvent(
        event.originator_id,
        event.originator_version,
        event.topic,
        event.state,
        event.position,
        event.moment - timedelta(seconds=1),
    )


@settings(max_examples=40, deadline=None)
@given(history=st.lists(steps(), max_size=20), at_once=st.sets(st.integers(2, 20)))
async def test_the_past_is_the_fold_of_the_log_up_to_there(
    history: list[tuple[str, str, str, dict[str, Any]]], at_once: set[int]
) -> None:
    fleet = played(history, at_once)
    log = Log(fleet.log)
    for (name, entity_id), states in log.states.items():
        await check_stream(fleet.past, ENTITIES[name], entity_id, states)
    lists = histories = fleet.past
    assert (await lists.point_at(BEGIN)).position == 0
    for moment in log.moments:
        position = max(at for at, other in enumerate(log.moments, start=1) if other <= moment)
        for later in (timedelta(), timedelta(microseconds=1)):
            point = await lists.point_at(moment + later)
            assert point.position == position
        for kind in ENTITIES.values():
            expected = {
                entity_id: as_json(state.record())
                for (name, entity_id), state in sorted(log.at[position].items())
                if name == kind.name
            }
            stretches = [stretch async for stretch in lists.records(kind, point)]
            assert json.loads(b"[%s]" % b",".join(stretches)) == list(expected.values())
            for entity_id in ("A", "B"):
                past = await histories.state(kind, entity_id, Point(moment=moment))
                assert record_of(past) == expected.get(entity_id)


def record_of(past: PastState | None) -> dict[str, Any] | None:
    return json.loads(past.record) if past and past.record else None


async def check_stream(
    histories: PastInMemory, entity: EntityType, entity_id: str, states: list[State | None]
) -> None:
    records = [as_json(state.record() if state else None) for state in states]
    changes, following, _ = await histories.changes(entity, entity_id, HistoryParameters())
    assert following is None
    reported = [json.loads(change) for change in changes]
    assert [change["version"] for change in reported] == list(range(1, len(states)))
    for version, record in enumerate(records):
        if version == 0:
            continue
        past = await histories.state(entity, entity_id, Point(version=version))
        assert past
        assert record_of(past) == record
        if record is not None:
            await check_blame(record, histories.until(entity, entity_id, version), reported[:version])
    for before in records:
        for after in records:
            check_difference(before, after)


async def check_blame(record: dict[str, Any], authors: Any, reported: list[dict[str, Any]]) -> None:
    """The version that last set a field is the last one of this life whose change names it."""
    born = max(change["version"] for change in reported if change["type"].endswith(".registered"))
    for field in await blame(record, authors):
        named = [
            change["version"]
            for change in reported
            if change["version"] >= born and field["field"] in {one["field"] for one in change["changes"]}
        ]
        assert field["version"] == max(named, default=born)
        assert field["value"] == record[field["field"]]


def check_difference(before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    """A difference, applied to the one, gives the other; and one with itself is none."""
    applied = dict(before or {})
    for change in differences(before, after):
        assert applied.get(change["field"]) == change["from"]
        applied[change["field"]] = change["to"]
    for name in {**(before or {}), **(after or {})}:
        if name not in UNCOMPARED:
            assert applied.get(name) == (after or {}).get(name)
    assert differences(after, after) == []
