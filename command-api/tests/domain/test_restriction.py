"""Restricted, held, lifted and erased: what may follow what, whoever asks for it, and when."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
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

NOW = datetime(2026, 11, 21, 4, 10, 45, 123456, tzinfo=UTC)
TODAY = NOW.date()
DUE = TODAY + timedelta(days=30)
RAVI = {**DEFINITIONS["driver"].blank_details(), "name": "Ravi"}
REFUSALS = (AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken)


def by(sub: str) -> EventMetadata:
    return EventMetadata(actor=EventActor(sub=sub, name=sub), request_id="r1", fingerprint="f" * 64)


def after(aggregate: Aggregate, event: Event | None) -> Aggregate:
    return aggregate if event is None else aggregate.after(event, NOW)


def ravi() -> Aggregate:
    driver = Aggregate(DEFINITIONS["driver"], "EMP-1")
    return after(driver, driver.register(RAVI, by("asha")))


def restricted(basis: Any = "asked", *, hold_until: date | None = None) -> Aggregate:
    driver = ravi()
    driver = after(driver, driver.restrict(basis, DUE, by("ingrid")))
    return after(driver, driver.hold(hold_until, by("ingrid")))


def test_nothing_else_is_done_with_what_is_restricted() -> None:
    driver = restricted()
    for refused in (
        lambda: driver.change({"name": "Other"}, by("asha")),
        lambda: driver.remove(by("asha")),
        lambda: driver.register(RAVI, by("asha")),
        lambda: driver.restrict("asked", DUE, by("asha")),
    ):
        with pytest.raises(IsRestricted):
            refused()


def test_lifted_it_is_what_it_was() -> None:
    driver = restricted()
    assert driver.state
    assert driver.state.is_restricted
    driver = after(driver, driver.lift(by("asha")))
    assert driver.state
    assert (driver.state.details, driver.state.is_restricted) == (RAVI, False)
    assert driver.change({"name": "Other"}, by("asha"))


@pytest.mark.parametrize("who", ["ingrid", "asha"])
def test_a_second_person_erases(who: str) -> None:
    driver = restricted()
    if who == "ingrid":
        with pytest.raises(RuleBroken, match="Another user"):
            driver.erase(TODAY, by(who))
    else:
        driver = after(driver, driver.erase(TODAY, by(who)))
        assert (driver.state, driver.is_erased) == (None, True)


def test_what_is_held_is_erased_the_day_after_and_not_before() -> None:
    driver = restricted(hold_until=TODAY)
    with pytest.raises(RuleBroken, match="legal hold"):
        driver.erase(TODAY, by("asha"))
    assert driver.erase(TODAY + timedelta(days=1), by("asha"))
    ended = after(driver, driver.hold(None, by("ingrid")))
    assert ended.erase(TODAY, by("asha"))


def test_what_is_contested_is_not_erased() -> None:
    with pytest.raises(RuleBroken, match="Contested data"):
        restricted("contested").erase(TODAY, by("asha"))


def test_what_is_not_restricted_is_neither_held_nor_lifted_nor_erased() -> None:
    driver = ravi()
    for refused in (
        lambda: driver.hold(TODAY, by("ingrid")),
        lambda: driver.lift(by("ingrid")),
        lambda: driver.erase(TODAY, by("asha")),
    ):
        with pytest.raises(RuleBroken, match="not restricted"):
            refused()


def test_who_was_removed_can_be_forgotten_and_somebody_new_may_have_the_id() -> None:
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
def test_whatever_is_asked_nobody_is_forgotten_against_the_rules_and_the_log_tells_the_same(
    asked: list[tuple[Any, ...]],
) -> None:
    """Rules as they are written down, not as the code has them; stored under a key, and told without it."""
    driver, key, stored = Aggregate(DEFINITIONS["driver"], "EMP-1"), Key.new(), []
    restricted_by, hold, contested = None, None, False
    for name, who, *rest in asked:
        day = rest[0] if rest else None
        try:
            event = decided(driver, name, who, day)
        except REFUSALS:
            continue
        if event is None:
            continue
        if name in ("register", "change", "remove", "restrict", "contest"):
            assert restricted_by is None
        else:
            assert restricted_by is not None
        if name == "erase":
            assert who != restricted_by
            assert not contested
            assert hold is None or day > hold
        if name in ("restrict", "contest"):
            restricted_by, hold, contested = who, None, name == "contest"
        elif name == "hold":
            hold = day
        elif name in ("lift", "erase"):
            restricted_by = None
        stored.append(MAPPER.to_stored_event(event, key))
        driver = driver.after(event, NOW)

    replayed = Aggregate(DEFINITIONS["driver"], "EMP-1")
    for one in stored:
        told = MAPPER.to_domain_event(
            StoredEvent(one.originator_id, one.originator_version, one.topic, one.state)
        )
        replayed = replayed.after(told, NOW)
    assert (replayed.restriction, replayed.is_erased, replayed.version) == (
        driver.restriction,
        driver.is_erased,
        driver.version,
    )
    assert (replayed.state is None) == (driver.state is None)
