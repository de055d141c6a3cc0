"""Near doubles: comparable forms, keys and scores, and what they find among generated drivers."""

import re
from itertools import combinations
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_api_testing.people import CITIES, FIRST, LAST, Driver, people

from query_api.possible_duplicates.candidates import MOST_SHARING
from read_model.matching.forms import ONE_OFF, SAME_SOUND, Address, Code, Name, alike_addresses, alike_names
from read_model.matching.keys import NAMESAKE, match_keys
from read_model.matching.scores import LEAST_SCORE, Match, Profile, compare

HORSE: Final = {
    "chassis_number": "MAT448061D2L12345",
    "engine_number": "ISBE21034567",
    "identifier": "Prima 1",
}
TRAILER: Final = {"trailer_registration_number": "KA01AB1234", "identifier": "LB-7", "type": "LOW_BED"}
DRIVER: Final = people(0, count=1, doubles=0).drivers[0]

texts = st.one_of(
    st.text(max_size=30),
    st.from_regex("[A-Za-z0-9 .@-]{0,20}", fullmatch=True),
    st.sampled_from([*FIRST, *LAST, *CITIES, "Dr. Ravi s/o Mohan Rameshbhai", "0091-98450 12345", "२०२६"]),
    st.none(),
    st.integers(),
)
records = st.fixed_dictionaries(dict.fromkeys([*DRIVER, *HORSE, *TRAILER], texts))
entities = st.sampled_from(["driver", "horse", "trailer"])


def found(entity: str, first: Any, second: Any, among: int = 1000) -> Match:
    match = compare(Profile.parse(entity, first), Profile.parse(entity, second), among=among)
    assert match is not None
    return match


@given(entity=entities, first=records, second=records)
def test_scores_are_symmetric_and_keys_can_be_stored(entity: str, first: Driver, second: Driver) -> None:
    one, other = found(entity, first, second), found(entity, second, first)
    assert (one.score, one.exact) == (other.score, other.exact)
    assert 0 <= one.score <= 1
    assert [field.likeness for field in one.fields] == [field.likeness for field in other.fields]
    assert all(0 <= field.likeness <= 1 for field in one.fields)
    assert all(re.fullmatch(r"[^\W_]{2,48}", key) for key in match_keys(entity, first)), match_keys(
        entity, first
    )


@given(seed=st.integers(0, 10_000))
def test_equal_records_have_equal_keys_and_the_score_1(seed: int) -> None:
    (driver,) = people(seed, count=1, doubles=0).drivers
    written = {name: f" {value.upper()} " if value else value for name, value in driver.items()}
    match = found("driver", driver, {**written, "id": "OTHER"}, among=10_000)
    assert (match.score, match.exact, {field.likeness for field in match.fields}) == (1, True, {1})
    assert {*match_keys("driver", driver)} == {*match_keys("driver", written)}


@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        ("Ravi Kumar", "KUMAR  Ravi", 1),
        ("Mohammed Ali", "Mohd. Aly", SAME_SOUND),
        ("Muhammad Shaikh", "Mohamed Sheikh", ONE_OFF),
        ("Lakshmi Narayan", "Laxmi Narayan", SAME_SOUND),
        ("Vijay Philips", "Wijay Filips", SAME_SOUND),
        ("Raj Kumar Gupta", "Rajkumar Gupta", ONE_OFF),
        ("S. Ramesh Babu", "Subramani Ramesh Babu", 0.85),
        ("José Álvarez", "Jose Alvarez", 1),
    ],
)
def test_other_spellings_of_a_name_are_alike(first: str, second: str, least: float) -> None:
    one, other = Name.parse(first), Name.parse(second)
    assert one
    assert other
    assert alike_names(one, other) >= least


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ravi Kumar", "Suresh Kumar"), ("Ravi Kumar", "Rajiv Kumar"), ("Ravi", "Kumar"), ("A Khan", "B Khan")],
)
def test_other_names_are_not(first: str, second: str) -> None:
    one, other = Name.parse(first), Name.parse(second)
    assert one
    assert other
    assert alike_names(one, other) <= 0.7


def test_addresses_agree_in_house_number_and_city() -> None:
    def alike(first: str, second: str, *cities: str) -> float:
        one, other = Address.parse(first, *cities[:1]), Address.parse(second, *cities[1:])
        assert one
        assert other
        return alike_addresses(one, other)

    assert alike("14 Residency Road", "No. 14, Residency Rd.", "Bangalore", "Bengaluru") == 1
    assert alike("14 Residency Road", "16 Residency Road") <= 0.5
    assert alike("14 Residency Road", "14 Residency Road", "Pune", "Delhi") <= 0.5


def test_letters_that_look_like_digits_are_no_difference() -> None:
    match = found("horse", HORSE, {**HORSE, "chassis_number": "MAT44806ID2L12345", "engine_number": "X1"})
    assert (match.exact, match.fields[0].likeness) == (False, SAME_SOUND)
    assert match.score > 0.9
    assert Code.parse("N/A") is None


def test_plate_with_one_wrong_character_is_found_unless_it_continues_a_series() -> None:
    one_off = {**TRAILER, "trailer_registration_number": "KA01AB1734", "identifier": "LB-9"}
    series = {**one_off, "trailer_registration_number": "KA01AB1235"}
    assert found("trailer", TRAILER, one_off).score >= LEAST_SCORE
    assert found("trailer", TRAILER, series).score < LEAST_SCORE
    assert {*match_keys("trailer", TRAILER)} & {*match_keys("trailer", one_off)}


def test_namesakes_are_doubles_in_a_small_fleet_only() -> None:
    (other,) = people(1, count=1, doubles=0).drivers
    namesake = {**other, "id": "EMP-9", "name": DRIVER["name"], "father_name": DRIVER["father_name"]}
    assert found("driver", DRIVER, namesake, among=100).score >= LEAST_SCORE
    assert found("driver", DRIVER, namesake, among=10_000).score < LEAST_SCORE


@pytest.mark.parametrize("seed", [301])
def test_planted_doubles_are_found_and_little_else(seed: int) -> None:
    made = people(seed, count=10_000, doubles=300)
    profiles = {driver["id"]: Profile.parse("driver", driver) for driver in made.drivers}
    sharing: dict[str, list[str]] = {}
    for driver in made.drivers:
        for key in match_keys("driver", driver):
            if not key.startswith(NAMESAKE):  # as in a fleet of this size
                sharing.setdefault(key, []).append(driver["id"])
    candidates = {
        pair for ids in sharing.values() if len(ids) <= MOST_SHARING for pair in combinations(sorted(ids), 2)
    }
    pairs = {
        (one, other)
        for one, other in candidates
        if compare(profiles[one], profiles[other], among=len(profiles), least=LEAST_SCORE)
    }
    right = len(pairs & made.doubles)
    print(f"recall {right / 300:.3f}, precision {right / len(pairs):.3f}, of {len(candidates)} candidates")
    assert right / 300 >= 0.98
    assert right / len(pairs) >= 0.95
