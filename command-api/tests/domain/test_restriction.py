"""Decisions about restriction, hold, lifting and erasure."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from command_api_testing.contexts import MOMENT
from eventsourcing.persistence import StoredEvent
from hypothesis import given
from hypothesis import strategies as st

from command_api.domain.aggregate import (
    Aggregate,
    AlreadyRegistered,
    IsRestricted,
    NotRegistered,
    RuleBroken,
)
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event, EventActor, EventMetadata
from command_api.event_store.mapper import MAPPER
from ops.base.encryption.keys import Key

TODAY = MOMENT.date()
DUE = TODAY + timedelta(days=30)
RAVI = {**DEFINITIONS["driver"].blank_details(), "name": "Ravi"}
REFUSALS = (AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken)


def by(sub: str) -> EventMetadata:
    return EventMetadata(actor=EventActor(sub=sub, name=sub), request_id="r1", fingerprint="f" * 64)


def after(aggregate: Aggregate, event: Event | None) -> Aggregate:
    return aggregate if event is None else aggregate.after(event, MOMENT)


def ravi() -> Aggregate:
    driver = Aggregate(DEFINITIONS["driver"], "EMP-1")
    return after(driver, driver.register(RAVI, by("asha")))


def test_removed_entity_can_be_erased_and_registered_again() -> None:
    driver = ravi()
    driver = after(driver, driver.remove(by("asha")))
    driver = after(driver, driver.restrict("asked", DUE, by("ingrid")))
    driver = after(driver, driver.erase(TODAY, by("asha")))
    with pytest.raises(NotRegistered):
        driver.restrict("asked", DUE, by("ingrid"))
    driver = after(driver, driver.register(RAVI, by("asha")))
    assert driver.state
    assert (driver.is_erased, driver.restriction, driver.version) == (False, None, 5)


people = st.sampled_from(["asha", "ingrid"])
days = st.integers(-1, 2).map(lambda days: TODAY + timedelta(days=days))
commands = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["register", "change", "remove", "lift"]), people),
        st.tuples(st.sampled_from(["restrict", "contest"]), people),
        st.tuples(st.just("hold"), people, st.none() | days),
        st.tuples(st.just("erase"), people, days),
    ),
    max_size=16,
)


def decided(driver: Aggregate, name: str, who: str, day: date | None) -> Event | None:
    decisions: dict[str, Callable[[], Event | None]] = {
        "register": lambda: driver.register(RAVI, by(who)),
        "change": lambda: driver.change({"name": f"after {driver.version}"}, by(who)),
        "remove": lambda: driver.remove(by(who)),
        "restrict": lambda: driver.restrict("asked", DUE, by(who)),
        "contest": lambda: driver.restrict("contested", DUE, by(who)),
        "hold": lambda: driver.hold(day, by(who)),
        "lift": lambda: driver.lift(by(who)),
        "erase": lambda: driver.erase(day or TODAY, by(who)),
    }
    return decisions[name]()


@given(commands)
def test_erasures_follow_the_rules_and_replay_without_the_key(
    asked: list[tuple[Any, ...]],
) -> None:
    """The rules are stated independently of the code; events are encrypted and replayed without the key."""
    driver, key, stored = Aggregate(DEFINITIONS["driver"], "EMP-1"), Key.new(), []
    restricted_by, hold, contested = None, None, False
    for name, who, *rest in asked:
        day = rest[0] if rest else None
        is_later = name in ("hold", "lift", "erase")
        may = (restricted_by is not None) == is_later and (
            name != "erase" or (who != restricted_by and not contested and (hold is None or day > hold))
        )
        try:
            event = decided(driver, name, who, day)
        except REFUSALS:
            assert not (is_later and may)
            continue
        if event is None:
            continue
        assert may
        if name in ("restrict", "contest"):
            restricted_by, hold, contested = who, None, name == "contest"
        elif name == "hold":
            hold = day
        elif name in ("lift", "erase"):
            restricted_by = None
        stored.append(MAPPER.to_stored_event(event, key))
        driver = driver.after(event, MOMENT)

    replayed = Aggregate(DEFINITIONS["driver"], "EMP-1")
    for one in stored:
        decoded = MAPPER.to_domain_event(
            StoredEvent(one.originator_id, one.originator_version, one.topic, one.state)
        )
        replayed = replayed.after(decoded, MOMENT)
    assert (replayed.restriction, replayed.is_erased, replayed.version) == (
        driver.restriction,
        driver.is_erased,
        driver.version,
    )
    assert (replayed.state is None) == (driver.state is None)
